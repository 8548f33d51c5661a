// Eval start: makes the input of an evaluation's process from its file and what was given with it: agents are looked up
// and frozen, cases are filled in, and everything is checked before anything runs.
//
// EVAL-START-1  What is in the input is all that the evaluation reads: a file that changes afterwards changes nothing.
// EVAL-START-2  The process holds only the two tools of evaluations, and the programs of its code scorers.

import { createHash } from "node:crypto";
import { joinLabels, readLabel, type SpawnRequest } from "@aos/kernel";
import {
  canonicalText,
  type EvalCase,
  type EvalInput,
  type EvalScorer,
  type EvalVariant,
  fill,
  type Json,
  type JsonObject,
  type ManifestText,
  type OperationArgs,
  SysError,
} from "@aos/protocol";
import { caseScope } from "@aos/userland";
import { agentFolders, findAgent, refuseUntrusted } from "../agents.ts";
import { withModel } from "../gateway/with-model.ts";
import type { SpawnPaths } from "../gateway/read-spawn.ts";
import { readManifestFile } from "../manifest-file.ts";
import { caseWords, type DataRow, readDataFile } from "./data-set.ts";
import { type EvalFile, readEvalFile, type WrittenAgent } from "./eval-file.ts";

type Given = OperationArgs<"startEval">;
type Agent = Pick<EvalVariant, "name" | "agent" | "manifest" | "folder" | "registeredAs">;

const MOST_CELLS = 20_000;

export function evalInputOf(places: SpawnPaths, given: Given): EvalInput {
  const file = readEvalFile(given.file.text, given.file.file);
  const cases = casesOf(file, given);
  const { scorers } = file;
  const agents = agentsOf(places, file, given);
  const models = given.models ?? file.models;
  const variants = variantsOf(agents, models, file.budget.perRun);
  const repeat = given.repeat ?? file.repeat;
  const cells = cases.length * variants.length * repeat;
  if (cells > MOST_CELLS)
    throw new SysError("EINVAL", `${cells} runs are more than ${MOST_CELLS}`, {
      hint: "evaluate a part of the cases, or with fewer repetitions",
    });
  const failUnder = { ...file.failUnder, ...given.failUnder };
  mustBeScored(failUnder, scorers);
  const { workspaceFolder: workspace } = given;
  const files = filesOf(scorers, given);
  return {
    name: file.name,
    digest: digestOf({ cases, scorers, files } as unknown as Json),
    variants,
    cases,
    scorers,
    files,
    repeat,
    concurrency: given.concurrency ?? file.concurrency,
    timeoutMs: file.timeout,
    budgetUsd: given.budget?.usd ?? file.budget.usd ?? null,
    failUnder,
    ...(workspace === undefined ? {} : { workspace }),
  };
}

const digestOf = (value: Json): string =>
  createHash("sha256").update(canonicalText(value)).digest("hex").slice(0, 32);

/** The process: EVAL-START-2. */
export function evalRequestOf(input: EvalInput): SpawnRequest {
  const labels = input.cases.flatMap(({ label }) => (label === undefined ? [] : [label]));
  const programs = new Set(
    input.scorers.flatMap((scorer) => (scorer.type === "code" ? [scorer.command[0]!] : [])),
  );
  return {
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: input.name,
      program: "eval",
      capabilities: [
        "tool:eval.run:call",
        ...(programs.size === 0 ? [] : ["tool:eval.score:call"]),
        ...[...programs].map((program) => `shell:${program}:exec`),
      ],
    },
    input: input as unknown as Json,
    label: [...new Set(labels)].map(readLabel).reduce(joinLabels, readLabel("trusted/public")),
  };
}

function casesOf(file: EvalFile, given: Given): EvalCase[] {
  const rows = rowsOf(file, given);
  const seen = new Map<string, string>();
  return rows.map((row, nth) => {
    const { id, expected, label, tags } = caseWords(row, nth);
    const other = seen.get(id);
    if (other !== undefined)
      throw new SysError("EINVAL", `${row.where}: id: ${other} has the id ${id} too`);
    seen.set(id, row.where);
    const { fields } = row;
    const asked = { id, input: fields["input"] ?? null, expected, tags, fields };
    return {
      ...asked,
      ...(label === undefined ? {} : { label }),
      input: inputOf(file.input, asked, row.where),
    };
  });
}

function inputOf(template: Json | undefined, asked: EvalCase, where: string): Json {
  if (template !== undefined) return fill(template, caseScope(asked));
  if (asked.fields["input"] !== undefined) return asked.input;
  throw new SysError("EINVAL", `${where}: there is no input`, {
    hint: 'give each case an `input`, or the evaluation a template: input: "{{question}}"',
  });
}

function rowsOf({ data }: EvalFile, { file, files }: Given): DataRow[] {
  if (typeof data === "string") return readDataFile(fileNamed(data, { file, files }), data);
  return data.map((fields, nth) => ({
    fields: fields as JsonObject,
    where: `${file.file}: data[${nth}]`,
  }));
}

function fileNamed(name: string, { file, files = [] }: Pick<Given, "file" | "files">): string {
  const found = files.find((one) => one.file === name);
  if (found !== undefined) return found.text;
  throw new SysError("ENOENT", `${file.file} names ${name}, which was not given`, {
    hint: "send the text of every file that it names in `files`; the command line does",
  });
}

const filesOf = (scorers: readonly EvalScorer[], given: Given): Record<string, string> =>
  Object.fromEntries(
    scorers.flatMap((scorer) =>
      scorer.type === "code"
        ? scorer.files.map((name): [string, string] => [name, fileNamed(name, given)])
        : [],
    ),
  );

function agentsOf(places: SpawnPaths, file: EvalFile, given: Given): Agent[] {
  const written: readonly WrittenAgent[] = [
    ...(given.isAgentsOnly === true ? [] : (file.agents ?? [])),
    ...(given.agents ?? []).flatMap(({ ref, name }) =>
      isWritten(file, ref) && given.isAgentsOnly !== true
        ? []
        : [name === undefined ? ref : { name, agent: ref }],
    ),
  ];
  if (written.length === 0)
    throw new SysError("EINVAL", `${given.file.file}: there are no agents`, {
      hint: "name them in `agents` of the file, or with --agents",
    });
  const agents = written.map((one) => agentOf(places, one, given));
  const names = agents.map(({ name }) => name);
  const twice = names.find((name, nth) => names.indexOf(name) !== nth);
  if (twice !== undefined)
    throw new SysError("EINVAL", `two agents are called ${twice}`, {
      hint: "give them names: agents: [{ name: old, agent: ./v1 }, { name: new, agent: ./v2 }]",
    });
  return agents;
}

const isWritten = ({ agents = [] }: EvalFile, ref: string): boolean =>
  agents.some((one) => one === ref || (typeof one === "object" && one.agent === ref));

function agentOf(places: SpawnPaths, written: WrittenAgent, given: Given): Agent {
  const { name, agent, manifest } =
    typeof written === "string"
      ? { agent: written, name: undefined, manifest: undefined }
      : written;
  if (manifest !== undefined) {
    const read = readManifestFile(JSON.stringify(manifest), `${given.file.file} (${name})`);
    return { name: name!, agent: read.manifest.name, manifest: read.written };
  }
  const ref = agent!;
  const sent = given.agents?.find((one) => one.ref === ref)?.manifest;
  if (sent !== undefined) {
    const { written: text, manifest: read } = readManifestFile(sent.text, sent.file);
    const folder = given.agentFolders?.find((one) => one.ref === ref)?.folder;
    return {
      name: name ?? read.name,
      agent: read.name,
      manifest: text,
      ...(folder === undefined ? {} : { folder }),
    };
  }
  const { home, trust } = places;
  const { cwd, tenant = "default" } = given;
  const found = findAgent(ref, agentFolders(home, trust.trusted, { cwd, tenant }));
  if (found === undefined) {
    refuseUntrusted(ref, cwd);
    throw new SysError("ENOENT", `there is no agent ${ref}`, {
      hint: "name an agent (aos agent ls), a manifest file, or a folder with agent.yaml",
    });
  }
  return {
    name: name ?? found.manifest.name,
    agent: found.manifest.name,
    manifest: found.written,
    folder: found.folder,
    ...(found.folder === home.agents ? { registeredAs: ref } : {}),
  };
}

function variantsOf(
  agents: readonly Agent[],
  models: readonly string[] | undefined,
  perRun: number | undefined,
): EvalVariant[] {
  const limited = (manifest: ManifestText): number | null => {
    const least = Math.min(perRun ?? Infinity, manifest.budget?.usd ?? Infinity);
    return least === Infinity ? null : least;
  };
  return agents.flatMap((agent): EvalVariant[] => {
    const limitUsd = limited(agent.manifest);
    if (models === undefined) return [{ ...agent, model: null, limitUsd }];
    return [...new Set(models)].map((model) => ({
      ...agent,
      name: agents.length === 1 ? model : `${agent.name} ${model}`,
      model,
      manifest: withModel(agent.manifest, model),
      limitUsd,
    }));
  });
}

function mustBeScored(
  failUnder: Readonly<Record<string, number>>,
  scorers: readonly EvalScorer[],
): void {
  const names = ["passed", ...scorers.map(({ name, type }) => name ?? type)];
  const unknown = Object.keys(failUnder).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new SysError("EINVAL", `failUnder: there is no scorer ${unknown}`, {
    hint: `there are ${names.join(", ")}`,
  });
}

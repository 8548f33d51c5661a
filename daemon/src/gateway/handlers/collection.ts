// Handlers of operations about collections. What is written, removed or searched is so by a process like any other,
// of the programs `ingest` and `retrieve`: the gate judges it, and the journal has it.
//
// COLLECTION-HANDLERS-1  No path of the machine is read here: the caller sends what is in the files.
// COLLECTION-HANDLERS-2  What is ingested is untrusted unless the caller says otherwise.

import {
  DEFAULT_TENANT,
  SysError,
  type ContextAnswer,
  type IngestedFile,
  type Json,
  type collectionOperations,
} from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { labelOf } from "../read-spawn.ts";
import { runToEnd } from "../run-to-end.ts";
import type { HandlersOf } from "./handler.ts";

const SHARED = "/mem/shared";
const UNTRUSTED = "untrusted/public"; // COLLECTION-HANDLERS-2
const USUAL_TOKENS = 4000;
const USUAL_USD = 0.5;
const MOST_WAIT_MS = 300_000;

export const collectionHandlers: HandlersOf<typeof collectionOperations> = {
  collections: ({ kernel }, { tenant }) => kernel.collections(omitUndefined({ tenant })),

  collectionFiles: ({ kernel }, { name, ...page }) =>
    kernel.collectionFiles(name, omitUndefined(page)),

  async ingest(gateway, { name, files = [], remove = [], label = UNTRUSTED, tenant }, call) {
    const folder = `${SHARED}/${name}`;
    const { pid, output } = await runToEnd(
      gateway,
      {
        agent: "context-ingest",
        program: "ingest",
        input: { folder, files: files.map(storedFile), remove },
        capabilities: [`memory:${folder}/**:write,remove`],
        what: `the ingestion into ${folder}`,
        timeoutMs: MOST_WAIT_MS,
        tenant,
        label: labelOf(label),
      },
      call,
    );
    const { written, removed } = output as { written: number; removed: number };
    return { name, path: folder, written, removed, pid };
  },

  async askContext(gateway, args, call): Promise<ContextAnswer> {
    const { question, collections = [], tokens = USUAL_TOKENS, tenant } = args;
    const { model, rerank, usd } = args;
    const models = [...new Set([model, rerank].filter((one) => one !== undefined))];
    if (usd !== undefined && models.length === 0)
      throw new SysError("EINVAL", "`usd` limits what a model may cost, and no model is named");
    const paths =
      collections.length === 0 ? [SHARED] : collections.map((one) => `${SHARED}/${one}`);
    await mustBeThere(gateway, collections, tenant);
    const { pid, output } = await runToEnd(
      gateway,
      {
        agent: "context-ask",
        program: "retrieve",
        input: { paths, question, tokens, ...omitUndefined({ model, rerank }) },
        capabilities: [
          ...paths.map((one) => `memory:${one}/**:search`),
          ...models.map((one) => `model:${one}:infer`),
        ],
        what: "the answer",
        timeoutMs: MOST_WAIT_MS,
        tenant,
        ...(models.length === 0 ? {} : { budget: { usd: usd ?? USUAL_USD } }),
      },
      call,
    );
    return {
      question,
      rerankedBy: null,
      ...reportRetrieved(output),
      budget: tokens,
      tenant: tenant ?? call.caller.tenant ?? DEFAULT_TENANT,
      pid,
    };
  },
};

const storedFile = ({ path, source, ...content }: IngestedFile): { path: string; data: Json } => {
  if ((content.text === undefined) === (content.turns === undefined))
    throw new SysError("EINVAL", `${path}: pass either its text or its turns`);
  return { path, data: { source, ...content } as unknown as Json };
};

/** A search below what is not there would find nothing, and not say why. */
async function mustBeThere(
  { kernel }: GatewayContext,
  wanted: readonly string[],
  tenant: string | undefined,
): Promise<void> {
  if (wanted.length === 0 && tenant === undefined) return;
  const known = new Set(
    (await kernel.collections(omitUndefined({ tenant }))).map((one) => one.name),
  );
  const missing = wanted.find((one) => !known.has(one));
  if (missing !== undefined)
    throw new SysError("ENOENT", `there is no collection ${missing}`, {
      hint: "`aos ctx ls` lists the collections; `aos ctx ingest PATH` makes one",
    });
}

interface Retrieved {
  readonly passages: readonly {
    readonly claimed?: ContextAnswer["passages"][number]["claimed"];
    readonly source?: { file: string; root?: string; commit?: string };
    readonly writtenAt?: number;
    readonly heading?: string;
    readonly line?: number;
    readonly endLine?: number;
    readonly label?: string;
    readonly n: number;
    readonly path: string;
    readonly text: string;
    readonly score: number;
    readonly tokens: number;
  }[];
}

function reportRetrieved(output: Json) {
  const { passages, ...rest } = output as unknown as Retrieved &
    Pick<
      ContextAnswer,
      "answer" | "citations" | "conflicts" | "leftOut" | "tokens" | "searchedBy"
    > & {
      readonly rerankedBy?: string | null;
    };
  return {
    ...rest,
    passages: passages.map(
      ({ source, claimed, writtenAt, heading, line, endLine, label, ...one }) => ({
        ...one,
        claimed: claimed ?? null,
        file: source?.file ?? null,
        root: source?.root ?? null,
        commit: source?.commit ?? null,
        heading: heading ?? null,
        line: line ?? null,
        endLine: endLine ?? null,
        label: label ?? null,
        writtenAt: writtenAt === undefined ? null : new Date(writtenAt).toISOString(),
      }),
    ),
  };
}

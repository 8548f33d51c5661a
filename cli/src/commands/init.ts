// `aos init`: writes the files of a new agent.
//
// INIT-1  No existing file is overwritten: if one exists, none is written.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { nearest, SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { isTemplate, templates, type TemplateName } from "../templates.ts";

const TEMPLATES = fileURLToPath(new URL("../../templates", import.meta.url));
const PYTHON_CLIENT = fileURLToPath(new URL("../../../sdk/python/aos.py", import.meta.url));
/** In Markdown the second: a formatter takes the first for bold letters. */
const NAME = /__NAME__|@NAME@/g;
const SCRIPTED = /scripted\/[a-z0-9._-]+/g;
const MODEL_NAME = /^[a-z0-9][a-z0-9._-]*\/[^\s{}*:"']+$/i;
const AGENT_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

const command: Command = async ({ args, options, out }) => {
  const template = templateOf(args[0] ?? "hello");
  const folder = resolve(args[1] ?? template);
  const name = options.text("name") ?? basename(folder).toLowerCase();
  if (!AGENT_NAME.test(name)) {
    throw new SysError("EINVAL", `${JSON.stringify(name)} is not a valid agent name`, {
      hint: "use letters, digits, dots and dashes: --name NAME",
    });
  }
  const files = withModel(filesOf(template, name), { template, model: options.text("model") });
  refuseIfThere(folder, [...files.keys()]);
  for (const [path, text] of files) writeNew(join(folder, path), text);

  const where = relative(process.cwd(), folder) || ".";
  const written = [...files.keys()].map((path) => join(where, path));
  await out.data({ template, name, folder, files: [...files.keys()] }, () => written.join("\n"));
  out.note(`created ${name}; next:`);
  for (const line of nextLines(template, where)) process.stderr.write(`  ${line}\n`);
};

export default command;

function templateOf(text: string): TemplateName {
  if (isTemplate(text)) return text;
  const names = Object.keys(templates);
  const meant = nearest(text, names);
  throw new SysError("EINVAL", `unknown template ${text}`, {
    hint: `${meant === undefined ? "" : `did you mean ${meant}? `}the templates are ${names.join(", ")}; the folder is the second argument: aos init hello ${text}`,
  });
}

/** Their paths below the new folder, and what is in them. */
function filesOf(template: TemplateName, name: string): Map<string, string> {
  const from = join(TEMPLATES, template);
  const files = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file): [string, string] => [
      relative(from, file).replaceAll(NAME, name),
      readFileSync(file, "utf8").replaceAll(NAME, name),
    ]);
  if (template === "python") files.push(["aos.py", readFileSync(PYTHON_CLIENT, "utf8")]);
  return new Map(files);
}

/** The manifest asks this model, and may; the script stays for the tests. */
function withModel(
  files: Map<string, string>,
  { template, model }: { template: TemplateName; model: string | undefined },
): Map<string, string> {
  const manifest = files.get("agent.yaml") ?? "";
  if (model === undefined) return files;
  if (!MODEL_NAME.test(model))
    throw new SysError("EINVAL", `${JSON.stringify(model)} is no name of a model`, {
      hint: "PROVIDER/MODEL, e.g. anthropic/claude-sonnet-4-5; aos model ls lists them",
    });
  if (!manifest.includes("scripted/"))
    throw new SysError("EINVAL", `the template ${template} is a program and asks no model`, {
      hint: "leave --model out",
    });
  return files.set("agent.yaml", manifest.replaceAll(SCRIPTED, model));
}

/** INIT-1. */
function refuseIfThere(folder: string, paths: readonly string[]): void {
  const there = paths.filter((path) => existsSync(join(folder, path)));
  if (there.length === 0) return;
  throw new SysError(
    "EEXIST",
    `${there.join(", ")} ${there.length === 1 ? "exists" : "exist"} in ${folder} already; nothing was written`,
    {
      hint: "name a new folder: aos init TEMPLATE FOLDER",
    },
  );
}

function writeNew(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    throw new SysError("EINVAL", `cannot write ${file}: ${(error as Error).message}`, {
      hint: "name a writable folder: aos init TEMPLATE FOLDER",
    });
  }
}

function nextLines(template: TemplateName, where: string): string[] {
  const given = {
    hello: `"Good morning"`,
    approval: `"lunch, 12 francs"`,
    python: `"The quick brown fox"`,
    typescript: `"Ada Grace Barbara"`,
    tools: "/work/note.txt --dir .",
    mcp: "Knuth",
    team: `"the ferry"`,
  }[template];
  const into = where === "." ? [] : [`cd ${where}`];
  const run = `aos run . ${given}`;
  // Tools and servers of a project exist once it is trusted.
  const first =
    template === "tools" || template === "mcp"
      ? ["aos trust --yes", run]
      : [run, "aos trust --yes"];
  return [...into, ...first, "aos test", "aos logs @last"];
}

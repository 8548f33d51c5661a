// Files named by a call: the files that the arguments of a call name, as the program would find them. An approval is
// bound to their bytes: `sh clean.sh` is approved with the present content of clean.sh.
//
//   await filesNamedByCall({ root, private: [] }, { command: "sh clean.sh" })    [{ path: "/work/clean.sh", … }]
//
// FILES-NAMED-BY-CALL-1  Every word of every text among the arguments counts, quoted or not, with or without an
//     option before it; so do files that a program reads by itself (`make` the Makefile, `npm` the package.json).
// FILES-NAMED-BY-CALL-2  Links are followed as the program would follow them: `/work` is the workspace, at every
//     step.
// FILES-NAMED-BY-CALL-3  Only regular files are opened, and none of the system's or the daemon's own.
// FILES-NAMED-BY-CALL-4  A file that is too large counts by its size, inode and change time, which no program can
//     set. Too many files are refused, not left out.
//
// Files that a script itself reads are not included: approving a script approves what it does.

import { posix } from "node:path";
import { type Json, type NamedFile, SysError } from "@aos/protocol";
import { fileDigest } from "./file-digest.ts";
import { AgentView, type ViewOptions } from "./agent-view.ts";

const MAX_FILES = 500;
const MAX_WORD = 4096;
const MAX_FOLDERS = 50;

/** Programs, and the files in their folder that say what they do. */
const READ_BY: Readonly<Record<string, readonly string[]>> = {
  make: ["Makefile", "makefile", "GNUmakefile"],
  gmake: ["Makefile", "makefile", "GNUmakefile"],
  npm: ["package.json", ".npmrc"],
  npx: ["package.json", ".npmrc"],
  pnpm: ["package.json", ".npmrc", ".pnpmfile.cjs"],
  yarn: ["package.json", ".yarnrc.yml"],
  bun: ["package.json", "bunfig.toml"],
  node: ["package.json"],
  cargo: ["Cargo.toml", "build.rs", ".cargo/config.toml"],
  pytest: ["conftest.py", "pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"],
  python: ["setup.py", "pyproject.toml"],
  python3: ["setup.py", "pyproject.toml"],
  pip: ["setup.py", "pyproject.toml"],
  tox: ["tox.ini"],
  just: ["justfile", "Justfile"],
  rake: ["Rakefile"],
  gradle: ["build.gradle", "build.gradle.kts"],
  mvn: ["pom.xml"],
  cmake: ["CMakeLists.txt"],
  docker: ["Dockerfile", "docker-compose.yml", "compose.yaml"],
  git: [".git/config"],
};

/** What interpreters add to a name, and read in a folder. */
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".py", ".sh"];
const IN_FOLDER = ["index.js", "index.mjs", "__main__.py", "package.json"];

export async function filesNamedByCall(
  options: ViewOptions,
  args: Json,
  more: readonly string[] = [],
): Promise<NamedFile[]> {
  const view = new AgentView(options);
  const words = wordsIn(args);
  for (const word of more) words.add(word);
  const folders = [...foldersIn(args)];
  for (const word of words) {
    if (folders.length >= MAX_FOLDERS) break;
    const path = posix.resolve(folders[0]!, word);
    if (!folders.includes(path) && (await view.isFolder(path))) folders.push(path);
  }
  const found = new Map<string, string>();
  for (const folder of folders)
    for (const word of [
      ...words,
      ...readBy(words),
      ...IN_FOLDER.filter(() => folder !== folders[0]),
    ])
      for (const ending of ENDINGS) {
        const path = posix.resolve(folder, `${word}${ending}`);
        if (found.has(path)) continue;
        const real = await view.regularFile(path);
        if (real !== undefined) found.set(path, real);
        if (found.size > MAX_FILES) throw tooMany();
      }
  const files: NamedFile[] = [];
  for (const [path, real] of [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    files.push({ path, ...(await fileDigest(real)) });
  return files;
}

const tooMany = (): SysError =>
  new SysError(
    "EDENIED",
    `the call names more than ${MAX_FILES} files, too many for one approval`,
    {
      hint: "name fewer files in one call",
    },
  );

/** FILES-NAMED-BY-CALL-1. */
function wordsIn(value: Json, words = new Set<string>()): Set<string> {
  if (typeof value === "string") addWords(value, words);
  else if (Array.isArray(value)) for (const one of value) wordsIn(one, words);
  else if (typeof value === "object" && value !== null)
    for (const one of Object.values(value)) wordsIn(one as Json, words);
  return words;
}

function addWords(text: string, words: Set<string>): void {
  const unquoted = text.replaceAll(/["'`\\]/g, "");
  for (const spelled of new Set([text, unquoted]))
    for (const separator of [/\s+/, /["'`\s;|&()<>{}=,$\\:@]+/])
      for (const word of [spelled, ...spelled.split(separator)]) {
        if (word === "" || word.length > MAX_WORD || word.includes("\0")) continue;
        words.add(word);
        if (/^-[A-Za-z]./.test(word)) words.add(word.slice(2)); // -fMakefile2
        const module = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(word);
        if (module) words.add(word.replaceAll(".", "/")); // python -m a.b
      }
}

/** Where it starts, and where its programs are looked for. */
function foldersIn(args: Json): Set<string> {
  const { folder, env } = (args ?? {}) as { folder?: unknown; env?: { PATH?: unknown } };
  const start = typeof folder === "string" && folder.startsWith("/") ? folder : "/work";
  const path = typeof env?.PATH === "string" ? env.PATH.split(":") : [];
  return new Set([start, ...path.filter((one) => one.startsWith("/")).slice(0, MAX_FOLDERS)]);
}

const readBy = (words: ReadonlySet<string>): string[] => [
  ...new Set(
    [...words].flatMap((word) => {
      const name = posix.basename(word);
      return Object.hasOwn(READ_BY, name) ? READ_BY[name]! : [];
    }),
  ),
];

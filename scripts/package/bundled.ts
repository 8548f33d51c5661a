// Bundled: packages of others of which the package carries only the files that it loads, below its own
// node_modules (npm: bundleDependencies). The rest of them would be a quarter of an installation.
//
// BUNDLED-1  A file that is taken is the author's, byte for byte, beside his licence; what is left out is
//     what no taken file names. Only the package.json is written anew, without peers that nothing loads.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { repository } from "./contents.ts";

interface BundledPackage {
  readonly name: string;
  /** The file that is loaded of it. */
  readonly entry: string;
  /** Peers that no file of it loads. */
  readonly withoutPeers: readonly string[];
}

const bundledPackages: readonly BundledPackage[] = [
  // The other encodings, the same in two module formats, their source: 28 of 30 MB.
  { name: "gpt-tokenizer", entry: "cjs/encoding/o200k_base.js", withoutPeers: [] },
  // Its peer `ai` has 11 MB, and is never loaded.
  { name: "ollama-ai-provider-v2", entry: "dist/index.mjs", withoutPeers: ["ai"] },
];

export const bundledNames: readonly string[] = bundledPackages.map(({ name }) => name);
export const unusedPeers: readonly string[] = bundledPackages.flatMap(
  ({ withoutPeers }) => withoutPeers,
);

/** By path in the package, with their text. */
export function bundledFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const bundled of bundledPackages) {
    const folder = join(repository, "node_modules", bundled.name);
    const place = posix.join("node_modules", bundled.name);
    for (const file of [...reached(folder, bundled.entry), ...besideThem(folder)])
      files.set(posix.join(place, file), readFileSync(join(folder, file), "utf8"));
    files.set(posix.join(place, "package.json"), manifestOf(folder, bundled));
  }
  return files;
}

function reached(folder: string, entry: string): Set<string> {
  const found = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const text = readFileSync(join(folder, file), "utf8");
    for (const name of namesIn(file, text))
      if (name.startsWith(".")) open.push(posix.join(dirname(file), name));
  }
  return found;
}

/** The licence, and the package.json of a folder that says how its modules are read. */
const besideThem = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter(
    (file) => /^LICENSE(\.\w+)?$/.test(file) || /^cjs\/package\.json$/.test(file),
  );

function namesIn(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const names: string[] = [];
  const take = (node: unknown) => {
    const literal = node as { type?: string; value?: unknown } | null | undefined;
    if (literal?.type === "Literal" && typeof literal.value === "string") names.push(literal.value);
  };
  new Visitor({
    ImportDeclaration: (node) => take(node.source),
    ExportNamedDeclaration: (node) => take(node.source),
    ExportAllDeclaration: (node) => take(node.source),
    ImportExpression: (node) => take(node.source),
    CallExpression(node) {
      if (node.callee.type === "Identifier" && node.callee.name === "require")
        take(node.arguments[0]);
    },
  }).visit(program);
  return names;
}

/** What makes it load and says whose it is; no scripts, no list of files. */
function manifestOf(folder: string, { withoutPeers }: BundledPackage): string {
  const theirs = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const peers = Object.entries((theirs["peerDependencies"] ?? {}) as Record<string, string>);
  const left = peers.filter(([name]) => !withoutPeers.includes(name));
  const kept = ["name", "version", "license", "repository", "type", "main", "module", "exports"];
  const manifest = {
    ...Object.fromEntries(kept.flatMap((key) => (key in theirs ? [[key, theirs[key]]] : []))),
    dependencies: theirs["dependencies"],
    ...(left.length > 0 && { peerDependencies: Object.fromEntries(left) }),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

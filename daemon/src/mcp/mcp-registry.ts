// McpRegistry: the declared MCP servers of a scope, and the operator's own file.
//
// MCP-REGISTRY-1  A project's file applies to processes that were started from its folder, or work there, once the
//     folder is trusted, with the bytes that were trusted. On a name clash the operator's server wins.
// MCP-REGISTRY-2  A file is read again when it changed. An invalid file is an error, not an empty file: `usable` has
//     the servers of the other files, and `problems` names file, line and reason.
// MCP-REGISTRY-3  The operator's file is written whole or not at all, readable by its owner only. Comments and order
//     in it are preserved.

import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { McpDeclaration } from "@aos/drivers";
import { type OperationArgs, SysError, type ToolScope, type TrustLookup } from "@aos/protocol";
import { parseDocument } from "yaml";
import { type McpFile, readMcpFile } from "./mcp-file.ts";
import { ownFilesOf } from "./own-files.ts";

interface Read {
  readonly mark: string;
  readonly declarations: readonly McpDeclaration[];
}

export class McpRegistry {
  readonly #operators: McpFile;
  readonly #trusted: TrustLookup;
  readonly #read = new Map<string, Read>();

  constructor(file: string, trusted: TrustLookup) {
    this.#operators = { file };
    this.#trusted = trusted;
  }

  /** MCP-REGISTRY-1. Throws for a file that says nonsense. */
  declarations(scope: ToolScope): McpDeclaration[] {
    return firstOfEachName(this.#sources(scope).flatMap((read) => read()));
  }

  /** MCP-REGISTRY-2. Those of the files that can be read, and what is wrong with the others. */
  usable(scope: ToolScope): { declared: McpDeclaration[]; problems: string[] } {
    const declared: McpDeclaration[] = [];
    const problems: string[] = [];
    for (const read of this.#sources(scope))
      try {
        declared.push(...read());
      } catch (error) {
        if (!(error instanceof SysError)) throw error;
        problems.push(error.message);
      }
    return { declared: firstOfEachName(declared), problems };
  }

  #sources(scope: ToolScope): (() => readonly McpDeclaration[])[] {
    return [
      () => this.#declaredIn(this.#operators),
      ...projectsOf(scope).map((project) => () => this.#trustedIn(project, scope.tenant) ?? []),
    ];
  }

  /** Projects that declare servers and are not trusted: nothing of theirs starts. */
  untrusted(scope: ToolScope): string[] {
    return projectsOf(scope).filter(
      (project) => this.#trusted(project, scope.tenant) === undefined,
    );
  }

  add({ name, ...server }: OperationArgs<"addMcpServer">): { name: string; file: string } {
    const { file } = this.#operators;
    const document = parseDocument(textOf(file) ?? "");
    if (this.#declaredIn(this.#operators).some((one) => one.name === name))
      throw new SysError("EEXIST", `${file} already has a server ${name}`, {
        hint: `remove it first: aos mcp rm ${name}`,
      });
    document.setIn(["servers", name], document.createNode(server));
    const text = document.toString();
    readMcpFile(text, this.#operators);
    this.#write(text);
    return { name, file };
  }

  remove(name: string): { name: string; key: string } {
    const { file } = this.#operators;
    const document = parseDocument(textOf(file) ?? "");
    if (!document.hasIn(["servers", name]))
      throw new SysError("ENOENT", `${file} has no server ${name}`, {
        hint: "the servers of a project are in its .agents/mcp.yaml; aos mcp ls shows where each is declared",
      });
    document.deleteIn(["servers", name]);
    this.#write(document.toString());
    return { name, key: `${file}#${name}` };
  }

  /** MCP-REGISTRY-2. */
  #declaredIn(place: McpFile): readonly McpDeclaration[] {
    const mark = markOf(place.file);
    const known = this.#read.get(place.file);
    if (mark === ABSENT) return NO_DECLARATIONS;
    if (known?.mark === mark) return known.declarations;
    const declarations = readMcpFile(textOf(place.file) ?? "", place);
    this.#read.set(place.file, { mark, declarations });
    return declarations;
  }

  /** Undefined where it is not trusted. */
  #trustedIn(project: string, tenant: string): readonly McpDeclaration[] | undefined {
    const trusted = this.#trusted(project, tenant);
    if (trusted === undefined) return undefined;
    const bytes = trusted.files.get(PROJECT_FILE);
    if (bytes === undefined) return [];
    const file = projectFile(project);
    const known = this.#read.get(file);
    if (known?.mark === trusted.digest) return known.declarations;
    const text = Buffer.from(bytes).toString("utf8");
    const read = readMcpFile(text, { file, project });
    const declarations = read.map((one) =>
      one.kind === "stdio" ? { ...one, own: ownFilesOf(one.command, trusted) } : one,
    );
    this.#read.set(file, { mark: trusted.digest, declarations });
    return declarations;
  }

  /** MCP-REGISTRY-3. */
  #write(text: string): void {
    const { file } = this.#operators;
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    this.#read.delete(file);
  }
}

function firstOfEachName(declared: readonly McpDeclaration[]): McpDeclaration[] {
  const byName = new Map<string, McpDeclaration>();
  for (const declaration of declared)
    if (!byName.has(declaration.name)) byName.set(declaration.name, declaration);
  return [...byName.values()];
}

const PROJECT_FILE = ".agents/mcp.yaml";
const projectFile = (project: string): string => join(project, PROJECT_FILE);

const projectsOf = ({ folders }: ToolScope): string[] => [
  ...new Set(folders.flatMap((folder) => projectOf(folder) ?? [])),
];

/** The nearest folder, at or above a place, that declares servers. */
function projectOf(place: string): string | undefined {
  let folder: string;
  try {
    folder = realpathSync.native(place);
  } catch {
    return undefined;
  }
  for (;;) {
    if (markOf(projectFile(folder)) !== ABSENT) return folder;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

const ABSENT = "absent";
const NO_DECLARATIONS: readonly McpDeclaration[] = [];

function markOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  if (found === undefined) return ABSENT;
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`);
  }
}

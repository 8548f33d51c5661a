// The book of MCP servers: which files declare them for whom, and the operator's own file, kept.
//
// B1  A project's file counts for who was started from its folder, or works there. Of two servers with one
//     name the operator's counts: a project cannot take the place of one.
// B2  A file is read again when it changed. One that says nonsense is an error, not an empty file.
// B3  The operator's file is written whole or not at all, and nobody else reads it. What people wrote in
//     it stays: comments, order.

import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { McpDeclaration } from "@aos/drivers";
import { type OperationArgs, SysError, type ToolScope } from "@aos/protocol";
import { parseDocument } from "yaml";
import { type McpFile, readMcpFile } from "./mcp-file.ts";

interface Read {
  readonly mark: string;
  readonly declarations: readonly McpDeclaration[];
}

export class McpBook {
  readonly #operators: McpFile;
  readonly #read = new Map<string, Read>();

  constructor(file: string) {
    this.#operators = { file };
  }

  /** B1. */
  declarations(scope: Pick<ToolScope, "folders">): McpDeclaration[] {
    const projects = scope.folders.flatMap((folder) => projectOf(folder) ?? []);
    const files = [
      this.#operators,
      ...[...new Set(projects)].map((project) => ({ file: projectFile(project), project })),
    ];
    const byName = new Map<string, McpDeclaration>();
    for (const declaration of files.flatMap((file) => this.#declaredIn(file)))
      if (!byName.has(declaration.name)) byName.set(declaration.name, declaration);
    return [...byName.values()];
  }

  add({ name, ...server }: OperationArgs<"addMcpServer">): { name: string; file: string } {
    const { file } = this.#operators;
    const document = parseDocument(textOf(file) ?? "");
    if (this.#declaredIn(this.#operators).some((one) => one.name === name))
      throw new SysError("EEXIST", `${file} has a server ${name} already`, {
        hint: `aos mcp rm ${name} forgets it`,
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
        hint: "a project's servers stand in its .agents/mcp.yaml; aos mcp ls says where each is",
      });
    document.deleteIn(["servers", name]);
    this.#write(document.toString());
    return { name, key: `${file}#${name}` };
  }

  /** B2. */
  #declaredIn(place: McpFile): readonly McpDeclaration[] {
    const mark = markOf(place.file);
    const known = this.#read.get(place.file);
    if (known?.mark === mark) return known.declarations;
    const declarations = readMcpFile(textOf(place.file) ?? "", place);
    this.#read.set(place.file, { mark, declarations });
    return declarations;
  }

  /** B3. */
  #write(text: string): void {
    const { file } = this.#operators;
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    this.#read.delete(file);
  }
}

const projectFile = (project: string): string => join(project, ".agents", "mcp.yaml");

/** The nearest folder, at or above a place, that declares servers. */
function projectOf(place: string): string | undefined {
  let folder: string;
  try {
    folder = realpathSync(place);
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

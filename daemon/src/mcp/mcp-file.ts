// MCP files: declarations of servers: `$AOS_HOME/mcp.yaml` for everyone, `.agents/mcp.yaml` for a project.
//
//   servers:
//     files:
//       command: [mcp-server-filesystem, /srv/docs]
//       paths: [/srv/docs]
//
// MCP-FILE-1  An unknown field is an error that names file, line and field.
// MCP-FILE-2  A project's file grants nothing outside the project: its paths are below the project, and its program is
//     in the PATH or below the project. Otherwise a user who can write the file could read the machine. It cannot
//     declare its own servers trusted.
// MCP-FILE-3  `$NAME` is the secret of that name; a value never is one. `$$` at the beginning is one `$`.

import { resolve } from "node:path";
import { type McpDeclaration, readDeclaredHost, SERVER_NAME, type Setting } from "@aos/drivers";
import { z } from "zod";
import { type FieldProblem, readYaml } from "../yaml-file.ts";

export interface McpFile {
  readonly file: string;
  /** The project that it belongs to; the operator's own when absent. */
  readonly project?: string;
}

const text = z.string().max(8192);
const effect = z.enum(["read", "idempotent", "external"]);

const serverSchema = z.strictObject({
  command: z.array(text.min(1)).min(1).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "not a variable name"), text)
    .default({}),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, "not a header name"), text)
    .default({}),
  paths: z.array(text.min(1)).default([]),
  hosts: z.array(text).default([]),
  tools: z
    .strictObject({ allow: z.array(text).optional(), deny: z.array(text).default([]) })
    .default({ deny: [] }),
  /** What calls of a tool do, by the server's name for it. */
  effects: z.record(z.string(), effect).default({}),
  /** What of the server's words the operator takes for his own. */
  trust: z.array(z.enum(["annotations", "descriptions"])).default([]),
});

export const mcpFileSchema = z.strictObject({
  servers: z.record(z.string(), serverSchema).default({}),
});

type WrittenServer = z.output<typeof serverSchema>;

/** Headers that say where a request ends or belong to the connection. */
const NOT_YOURS = new Set(
  ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"].concat([
    "accept-encoding",
    "expect",
    "keep-alive",
    "mcp-session-id",
    "mcp-protocol-version",
  ]),
);

export function readMcpFile(written: string, place: McpFile): McpDeclaration[] {
  const { read } = readYaml(written, place.file, mcpFileSchema, ({ servers }) =>
    Object.entries(servers).flatMap(([name, server]) => complaintsAbout(name, server, place)),
  );
  return Object.entries(read.servers).map(([name, server]) => declarationOf(name, server, place));
}

function complaintsAbout(
  name: string,
  server: WrittenServer,
  { project }: McpFile,
): FieldProblem[] {
  const { command, url, env, headers, paths, hosts } = server;
  const complaints: FieldProblem[] = [];
  const complain = (path: readonly (string | number)[], message: string) =>
    complaints.push({ path: ["servers", name, ...path], message });

  if (!SERVER_NAME.test(name)) complain([], "a server is named with a-z 0-9 _ -");
  if ((command === undefined) === (url === undefined))
    complain([], "a server needs either a command or a url");
  if (url !== undefined && Object.keys(env).length > 0) complain(["env"], "env needs a command");
  if (url !== undefined && paths.length > 0) complain(["paths"], "paths need a command");
  if (command !== undefined && Object.keys(headers).length > 0)
    complain(["headers"], "headers need a url");
  for (const [field, settings] of Object.entries({ env, headers }))
    for (const [key, value] of Object.entries(settings))
      if (settingOf(value) === undefined) complain([field, key], "a secret is written $NAME");
  for (const header of Object.keys(headers))
    if (NOT_YOURS.has(header.toLowerCase()) || header.toLowerCase().startsWith("proxy-"))
      complain(["headers", header], "this header cannot be set");
  for (const [index, host] of hosts.entries())
    if (readDeclaredHost(host) === undefined)
      complain(["hosts", index], "a host is written as in api.example.com or 127.0.0.1:8080");
  for (const [index, path] of paths.entries()) {
    const problem = pathProblem(path, project);
    if (problem !== undefined) complain(["paths", index], problem);
  }
  if (project !== undefined && server.trust.length > 0)
    complain(
      ["trust"],
      "a project cannot declare its own servers trusted; only the operator can, in $AOS_HOME/mcp.yaml",
    );
  if (project !== undefined && Object.keys(server.effects).length > 0)
    complain(
      ["effects"],
      "a project cannot declare its own servers trusted; only the operator can, in $AOS_HOME/mcp.yaml",
    );
  if (project !== undefined && command?.[0]!.startsWith("/") === true)
    complain(["command", 0], "a project's program must be in the PATH, or ./ below the project");
  return complaints;
}

/** MCP-FILE-2. */
function pathProblem(path: string, project: string | undefined): string | undefined {
  const { path: written } = pathOf(path);
  if (project === undefined)
    return written.startsWith("/") ? undefined : "a path must be absolute, e.g. /data/docs";
  const whole = resolve(project, written);
  if (whole === project || whole.startsWith(`${project}/`)) return undefined;
  return "a project's server may not read paths outside the project";
}

/** `/srv/docs`, or `/srv/docs:rw` to write there. */
function pathOf(written: string): { path: string; mode: "read" | "write" } {
  return written.endsWith(":rw")
    ? { path: written.slice(0, -":rw".length), mode: "write" }
    : { path: written, mode: "read" };
}

/** MCP-FILE-3. */
function settingOf(value: string): Setting | undefined {
  if (!value.startsWith("$")) return { text: value };
  if (value.startsWith("$$")) return { text: value.slice(1) };
  const [, secret] = /^\$([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})$/.exec(value) ?? [];
  return secret === undefined ? undefined : { secret };
}

const settingsOf = (written: Readonly<Record<string, string>>): Record<string, Setting> =>
  Object.fromEntries(Object.entries(written).map(([key, value]) => [key, settingOf(value)!]));

function declarationOf(name: string, server: WrittenServer, place: McpFile): McpDeclaration {
  const { command, url, tools, trust, hosts, effects } = server;
  const { file, project } = place;
  const declared = {
    name,
    declaredIn: file,
    isOperators: project === undefined,
    hosts,
    ...(tools.allow === undefined ? {} : { allow: tools.allow }),
    deny: tools.deny,
    effects,
    trustsAnnotations: trust.includes("annotations"),
    trustsDescriptions: trust.includes("descriptions"),
  };
  if (url !== undefined)
    return { ...declared, kind: "http", url, headers: settingsOf(server.headers) };
  const [program = "", ...words] = command ?? [];
  const paths = server.paths.map(pathOf);
  return {
    ...declared,
    kind: "stdio",
    command: [programOf(program, project), ...words],
    env: settingsOf(server.env),
    paths: paths.map(({ path, mode }) => ({ path: resolve(project ?? "/", path), mode })),
    ...(project === undefined ? {} : { within: project }),
  };
}

const programOf = (program: string, project: string | undefined): string =>
  project !== undefined && program.includes("/") ? resolve(project, program) : program;

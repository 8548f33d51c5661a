// Powers: what a project folder would be allowed once it is trusted, in words for the person who is asked.
//
// TRUST-POWERS-1  Every file of the scan is in the list, also one whose meaning is not known.

import { join } from "node:path";
import { secretsOf, whereOf, type McpDeclaration } from "@aos/drivers";
import { SysError, type TrustPower } from "@aos/protocol";
import { readManifestFile } from "../manifest-file.ts";
import { readMcpFile } from "../mcp/mcp-file.ts";
import { INSTRUCTIONS, type PowerScan } from "./power-scan.ts";

type Reader = (match: RegExpExecArray, file: WrittenFile) => readonly TrustPower[];

interface WrittenFile {
  readonly path: string;
  readonly text: string;
  readonly bytes: number;
  readonly project: string;
}

const power = (kind: TrustPower["kind"], name: string, detail: readonly string[]): TrustPower => ({
  kind,
  name,
  detail,
});

function readAgent([, name = ""]: RegExpExecArray, { path, text, project }: WrittenFile) {
  const { manifest } = readManifestFile(text, join(project, path));
  const { command, tools, capabilities } = manifest;
  return [
    power("agent", name, [
      ...(command === undefined ? [] : [`runs ${command.join(" ")}`]),
      ...(tools.length === 0 ? [] : [`tools ${tools.join(", ")}`]),
      ...capabilities.map((capability) => `may ${capability}`),
    ]),
  ];
}

const readServers = (_match: RegExpExecArray, { path, text, project }: WrittenFile) =>
  readMcpFile(text, { file: join(project, path), project }).map((server) =>
    power("mcp server", server.name, serverLines(server)),
  );

function serverLines(server: McpDeclaration): string[] {
  const secrets = secretsOf(server);
  const paths = server.kind === "stdio" ? server.paths : [];
  return [
    `${server.kind === "stdio" ? "runs" : "reaches"} ${whereOf(server)}`,
    ...paths.map(({ path, mode }) => `${mode === "write" ? "reads and writes" : "reads"} ${path}`),
    server.hosts.length === 0 ? "no other host" : `hosts ${server.hosts.join(", ")}`,
    ...(secrets.length === 0 ? [] : [`secrets ${secrets.join(", ")}`]),
  ];
}

const readPolicy = ([, name = ""]: RegExpExecArray) => [
  power("policy", name, ["rules that take power from agents that work here"]),
];

const readProgram = ([, name = ""]: RegExpExecArray) => [
  power("program", name, ["a program of the machine as a tool, in the sandbox"]),
];

const tool = (name: string, bytes: number) => [
  power("tool", name, [`${bytes} bytes of code that run in the sandbox, without network`]),
];

const skill = (name: string) => [power("skill", name, ["a text that agents may read"])];

/** The first that fits. */
const readers: readonly (readonly [RegExp, Reader])[] = [
  [/^\.agents\/agents\/([^/]+)\.yaml$/, readAgent],
  [/^\.agents\/mcp\.yaml$/, readServers],
  [/^\.agents\/(policy\.yaml|security\.md)$/, readPolicy],
  [/^\.agents\/tools\/([^/]+)\.ts$/, ([, name = ""], { bytes }) => tool(name, bytes)],
  [/^\.agents\/tools\/([^/]+)\.yaml$/, readProgram],
  [/^\.agents\/skills\/([^/]+)\/SKILL\.md$/, ([, name = ""]) => skill(name)],
  [/^\.agents\/.*([^/]+)\.test\.ya?ml$/, (_match, file) => [power("test", file.path, [])]],
];

export function powersOf({ folder, files, entries }: PowerScan): TrustPower[] {
  const links = entries.filter(({ kind }) => kind === "link");
  return [
    ...[...files].flatMap(([path, bytes]) =>
      read({ path, text: bytes.toString("utf8"), bytes: bytes.length, project: folder }),
    ),
    ...links.map(({ path, target }) => power("file", path, [`a link to ${target}`])),
  ];
}

function read(file: WrittenFile): readonly TrustPower[] {
  for (const [pattern, reader] of readers) {
    const match = pattern.exec(file.path);
    if (match !== null) return orBroken(file, () => reader(match, file));
  }
  if (file.path === INSTRUCTIONS)
    return [power("instructions", file.path, [`${file.bytes} bytes that agents are told`])];
  const isOurs = file.path.startsWith(".agents/");
  return [power(isOurs ? "file" : "program", file.path, [`${file.bytes} bytes`])]; // TRUST-POWERS-1
}

function orBroken(file: WrittenFile, work: () => readonly TrustPower[]): readonly TrustPower[] {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    return [power("file", file.path, [`cannot be used: ${error.message}`])];
  }
}

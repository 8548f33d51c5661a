// Environment: every variable that the product reads, and what it is for. None of them gives anybody access:
// who calls a daemon is known by the socket's owner or by a token, whatever the environment says.

import { expect, test } from "vitest";
import { rooms } from "./import-map.ts";
import { codeLines, isTest, isTypeScript, readLines, sourceFiles } from "./source-files.ts";
import type { SourceFile } from "./source-files.ts";

const meanings: Readonly<Record<string, string>> = {
  AOS_HOME: "the folder of the daemon's data",
  AOS_SOCKET:
    "the path of the Unix socket; its mode is 0600 wherever it is, unless socket.access says group",
  AOS_CONFIG: "a file of settings below those of the home's config.yaml",
  AOS_DATABASE_URL: "the PostgreSQL database in place of SQLite",
  AOS_NATS_URL: "the NATS server that carries hints between nodes",
  AOS_HTTP: "the address of the HTTP listener, or `off`; every caller there needs a token",
  AOS_LOG_LEVEL: "how much is logged",
  AOS_LOG_FORMAT: "how it is written",
  AOS_SECRET_KEY: "the key that seals secrets; removed from the environment once it is read",
  AOS_PASSPHRASE: "command line only: what a backup is sealed under",
  AOS_URL: "command line only: the address of a daemon elsewhere",
  AOS_TOKEN: "command line only: the token to show to that daemon",
  OTEL_EXPORTER_OTLP_ENDPOINT: "the collector that traces are sent to",
  OTEL_EXPORTER_OTLP_HEADERS:
    "headers for that collector; OpenTelemetry's exporter of traces reads them too",
  OTEL_SERVICE_NAME: "the name of the service in traces",
  PATH: "where programs are looked for",
  HOME: "what `~` is in a program's path",
  XDG_CONFIG_HOME: "command line only: where the units of a user are",
  XDG_RUNTIME_DIR: "where short-lived files of a user are",
  NO_COLOR: "no colours in logs and on the command line",
  TERM: "command line only: `dumb` has no colours",
  VISUAL: "command line only: the editor of `aos debug`",
  EDITOR: "the same, where VISUAL is not set",
};

/** Where a name is worked out when it runs, and which names it can be. */
const computed: Readonly<Record<string, string>> = {
  "daemon/src/config-overrides.ts": "the variables of its rows, which are above",
  "cli/src/ask-provider.ts":
    "PROVIDER_API_KEY, offered to the person at the terminal, who says whether to use it",
};

const ENVIRONMENT = String.raw`\b(?:process\.)?env\??`;
const NAMED = [
  new RegExp(String.raw`${ENVIRONMENT}(?:\.)?\[\s*["'\`]([A-Z][A-Z0-9_]*)["'\`]\s*\]`, "g"),
  new RegExp(String.raw`${ENVIRONMENT}\.([A-Z][A-Z0-9_]+)\b`, "g"),
  /\bvariable: "([A-Z][A-Z0-9_]*)"/g,
];
const DESTRUCTURED = /\{([^{}]*)\}\s*=\s*(?:process\.)?env\b/g;
const COMPUTED = new RegExp(String.raw`${ENVIRONMENT}(?:\.)?\[\s*[^"'\s\]]`);

const ofProduct = (files: readonly SourceFile[]) =>
  files.filter(
    (file) =>
      (isTypeScript(file) || file.path.endsWith(".mjs")) &&
      !isTest(file) &&
      /^\w+\/(src|bin)\//.test(file.path) &&
      Object.hasOwn(rooms, file.path.split("/", 1)[0]!) &&
      // They set a variable of their own, to see whether anybody else can read it.
      !file.path.startsWith("attacks/"),
  );

function namesIn(file: SourceFile): string[] {
  return codeLines(file).flatMap(([, text]) => [
    ...NAMED.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name]) => name!)),
    ...Array.from(text.matchAll(DESTRUCTURED), ([, names]) => names!).flatMap((names) =>
      Array.from(names.matchAll(/(?:^|,)\s*([A-Z][A-Z0-9_]*)/g), ([, name]) => name!),
    ),
  ]);
}

const computesName = (file: SourceFile): boolean =>
  codeLines(file).some(([, text]) => COMPUTED.test(text));

test("every environment variable that the product reads has a meaning here, and no other does", () => {
  const found = new Set(ofProduct(sourceFiles()).flatMap(namesIn));

  expect([...found].toSorted()).toEqual(Object.keys(meanings).toSorted());
});

test("a name that is worked out when it runs is worked out in the files that are listed", () => {
  const found = ofProduct(sourceFiles()).filter(computesName);

  expect(found.map(({ path }) => path).toSorted()).toEqual(Object.keys(computed).toSorted());
});

test.each([
  ['const a = process.env["AOS_GUEST"];', ["AOS_GUEST"]],
  ["const a = env?.AOS_GUEST;", ["AOS_GUEST"]],
  ['const { AOS_GUEST = "", PATH } = process.env;', ["AOS_GUEST", "PATH"]],
  ['row: { variable: "AOS_GUEST" }', ["AOS_GUEST"]],
])("a variable that is read by %s is found", (text, names) => {
  expect(namesIn(readLines("daemon/src/spy.ts", text))).toEqual(names);
});

test("a name that is worked out is found", () => {
  expect(computesName(readLines("daemon/src/spy.ts", "if (process.env[name]) enter();"))).toBe(
    true,
  );
});

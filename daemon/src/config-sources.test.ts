// `CONFIG-SOURCES-1` and `CONFIG-SOURCES-2` are the invariants of config-sources.ts.

import type { SettingReport } from "@aos/protocol";
import { expect, test } from "vitest";
import { configSchema } from "./config.ts";
import { readOverrides } from "./config-overrides.ts";
import { inForce, readSources } from "./config-sources.ts";

const FILE = "/home/config.yaml";
const KEY = "0".repeat(64);

function settings(text: string, env: Record<string, string> = {}, flags: string[] = []) {
  return readSources({ layers: [{ text, file: FILE }], given: readOverrides(env, flags) });
}
const one = (all: readonly SettingReport[], name: string) => all.find((each) => each.name === name);

interface Shape {
  readonly shape?: Record<string, Shape>;
  readonly def?: { readonly innerType?: Shape };
}

/** The names of all fields of the schema that are no objects themselves. */
function fieldsOf(schema: Shape, name = ""): string[] {
  const inner = schema.def?.innerType;
  if (schema.shape === undefined && inner !== undefined) return fieldsOf(inner, name);
  if (schema.shape === undefined) return [name];
  return Object.entries(schema.shape).flatMap(([key, field]) =>
    fieldsOf(field, name === "" ? key : `${name}.${key}`),
  );
}

test("CONFIG-SOURCES-1: every field that config.yaml can have is among the settings", () => {
  const names = settings("").map(({ name }) => name);

  expect(names).toEqual(expect.arrayContaining(fieldsOf(configSchema as unknown as Shape)));
});

test("CONFIG-SOURCES-1: a flag wins over the environment, that over the file, that over what is so by default", () => {
  const text = "log:\n  level: warn\n  format: json\nunloadAfter: 3s\n";
  const env = { AOS_LOG_LEVEL: "debug", AOS_LOG_FORMAT: "json" };

  const all = settings(text, env, ["--log-level=error"]);

  expect(one(all, "log.level")).toMatchObject({
    value: "error",
    source: "flag",
    where: "--log-level",
  });
  expect(one(all, "log.format")).toMatchObject({ source: "environment", where: "AOS_LOG_FORMAT" });
  expect(one(all, "unloadAfter")).toMatchObject({
    value: "3s",
    source: "file",
    where: `${FILE}:4`,
  });
  expect(one(all, "lease")).toMatchObject({ value: "10s", source: "default", where: null });
});

test("CONFIG-SOURCES-1: what AOS_HTTP decides is said to be its", () => {
  const listening = settings("http: { host: example.org, port: 1 }", { AOS_HTTP: "127.0.0.2:7" });
  const off = settings("http: { host: example.org }", { AOS_HTTP: "off" });

  expect(one(listening, "http.host")).toMatchObject({ value: "127.0.0.2", where: "AOS_HTTP" });
  expect(one(listening, "http.port")).toMatchObject({ value: 7, where: "AOS_HTTP" });
  expect(one(off, "http.enabled")).toMatchObject({ value: false, where: "AOS_HTTP" });
  expect(one(off, "http.host")).toMatchObject({ value: "example.org", source: "file" });
});

test("maps and lists are told entry by entry, each with its line", () => {
  const all = settings(
    "models:\n  openai/x:\n    retries: 1\nbudgets:\n  - scope: total\n    per: day\n    usd: 3\n",
  );

  expect(one(all, "models.openai/x.retries")).toMatchObject({ value: 1, where: `${FILE}:3` });
  expect(one(all, "budgets[0].usd")).toMatchObject({ value: 3, where: `${FILE}:7` });
});

test("CONFIG-SOURCES-2: neither a key nor a password is shown", () => {
  const env = {
    AOS_SECRET_KEY: KEY,
    AOS_DATABASE_URL: "postgres://aos:hunter2@db.example/aos",
    AOS_NATS_URL: "nats://aos:hunter2@nats.example",
  };

  const all = settings("", env);

  expect(one(all, "database")).toMatchObject({ value: "postgres://aos:***@db.example/aos" });
  expect(one(all, "nats")).toMatchObject({ value: "nats://aos:***@nats.example" });
  expect(one(all, "secretKey")).toMatchObject({ source: "environment", where: "AOS_SECRET_KEY" });
  expect(JSON.stringify(all)).not.toMatch(/hunter2|0{64}/);
});

test("of a daemon that runs: what is hot is as it is now, and the rest says what it will be", () => {
  const started = settings("unloadAfter: 1s\nlog: { level: info }\nlimits: { spawnDepth: 3 }");
  const now = settings("unloadAfter: 2s\nlog: { level: debug }\nretention: { maxRuns: 7 }");

  const all = inForce(started, now);

  expect(one(all, "log.level")).toMatchObject({ value: "debug", hot: true });
  expect(one(all, "unloadAfter")).toMatchObject({ value: "1s", next: "2s", hot: false });
  expect(one(all, "limits.spawnDepth")).toMatchObject({ value: 3, next: 5 });
  expect(one(all, "retention.maxRuns")).toMatchObject({ value: 1000, next: 7 });
  expect(one(all, "lease")).not.toHaveProperty("next");
});

test("a variable that is not understood is named, and the text of a key is not", () => {
  expect(() => readOverrides({ AOS_LOG_FORMAT: "xml" })).toThrow(
    /^AOS_LOG_FORMAT in the environment: /,
  );
  expect(() => readOverrides({}, ["--log-level=loud"])).toThrow(/^--log-level: /);
  expect(() => readOverrides({ AOS_SECRET_KEY: "hunter2" })).toThrow(/^(?!.*hunter2).*32 bytes/);
});

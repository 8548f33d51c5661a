// Every event against the attributes of OCSF 1.5 (tests/fixtures/ocsf): OCSF-4.

import { readFileSync } from "node:fs";
import type { FeedEvent } from "@aos/protocol";
import { expect, test } from "vitest";
import { ocsfEvents, type OcsfEvent } from "./ocsf.ts";

interface Attribute {
  readonly required?: true;
  readonly object?: string;
  readonly array?: true;
  readonly enum?: readonly (number | string)[];
}
type Schema = Readonly<Record<string, Readonly<Record<string, Attribute>>>>;

const FIXTURE = new URL("../../../tests/fixtures/ocsf/1.5.0.json", import.meta.url);
const schema = JSON.parse(readFileSync(FIXTURE, "utf8")) as Schema;
const classes: Readonly<Record<number, string>> = {
  6003: "api_activity",
  3003: "authorize_session",
  2004: "detection_finding",
};

function problems(type: string, value: Readonly<Record<string, unknown>>, at = type): string[] {
  const attributes = schema[type];
  if (attributes === undefined) return [`${at}: the fixture has no ${type}`];
  const missing = Object.entries(attributes)
    .filter(([name, { required }]) => required && value[name] === undefined)
    .map(([name]) => `${at}.${name} is required`);
  return [
    ...missing,
    ...Object.entries(value).flatMap(([name, one]) =>
      ofAttribute(attributes[name], one, `${at}.${name}`),
    ),
  ];
}

function ofAttribute(attribute: Attribute | undefined, value: unknown, at: string): string[] {
  if (attribute === undefined) return [`${at} is unknown`];
  if (Array.isArray(value) !== (attribute.array === true)) return [`${at}: an array, or none`];
  const { object, enum: numbers } = attribute;
  return [value].flat().flatMap((one) => {
    if (object !== undefined) return problems(object, one as Record<string, unknown>, at);
    return numbers === undefined || numbers.includes(one as number)
      ? []
      : [`${at}: ${String(one)}`];
  });
}

const subject = { agent: "payer", tenant: "default", hostname: "host" };
const event = (record: object): FeedEvent =>
  ({ pid: "agt_1", tree: "agt_1", record: { seq: 3, at: 1000.5, ...record } }) as never;

test.each([
  ["a call", { kind: "call", n: 1, call: "write", args: { path: "/a" }, ok: null }],
  ["a tool", { kind: "call", n: 1, call: "exec", args: { tool: "pay" }, ok: null }],
  [
    "a refusal",
    {
      kind: "call",
      n: 1,
      call: "exec",
      args: { tool: "pay" },
      err: { code: "EACCES", message: "no" },
      verdict: "capability",
    },
  ],
  ["a start", { kind: "start", capabilities: ["tool:pay:call"] }],
  ["a start with no power", { kind: "start", capabilities: [] }],
  ["a grant", { kind: "grant", capabilities: ["tool:pay:call"], by: "ada" }],
  ["a kill", { kind: "signal", signal: "SIGPOLICY" }],
])("OCSF-4: %s has what the schema allows, and all that it demands", (_what, record) => {
  const events = ocsfEvents(event(record), subject, { version: "1" });

  expect(events).not.toEqual([]);
  expect(events.flatMap((one: OcsfEvent) => problems(classes[one.class_uid]!, one))).toEqual([]);
});

test("a type that the schema has not is noticed", () => {
  const user = { name: "payer", type_id: 4 };

  expect(problems("user", user)).toEqual(["user.type_id: 4"]);
});

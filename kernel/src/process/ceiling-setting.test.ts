import { expect, test } from "vitest";
import { parseSecretKey } from "../secret/index.ts";
import { CeilingSeal, effective, withChange } from "./ceiling-setting.ts";

const key = (text: string) => parseSecretKey(Buffer.alloc(32, text).toString("base64"));
const NARROW = { ceiling: ["tool:echo:call"] };

test("default is the list that ships, and for the operator's own tenant none at all", () => {
  expect(effective("acme", {})).toContain("file:/work/**:read,write,list,remove");
  expect(effective("default", {})).toBeNull();
  expect(effective("default", NARROW)).toEqual(["tool:echo:call"]);
  expect(effective("acme", { ceiling: "none" })).toBeNull();
});

test("what is allowed is added, what is removed is taken out, what replaces replaces both", () => {
  const wider = withChange("acme", {}, { allow: ["model:a/*:infer"] });
  const narrower = withChange("acme", wider, { remove: ["shell:*:exec"] });
  const other = withChange("acme", narrower, NARROW);

  expect(effective("acme", wider)).toContain("model:a/*:infer");
  expect(effective("acme", narrower)).not.toContain("shell:*:exec");
  expect(effective("acme", narrower)).toContain("model:a/*:infer");
  expect(effective("acme", other)).toEqual(["tool:echo:call"]);
});

test("a change that changes nothing, or removes what is not there, is an error", () => {
  expect(() => withChange("acme", {}, {})).toThrow(/the request changes nothing/);
  expect(() => withChange("acme", {}, { remove: ["tool:x:call"] })).toThrow(
    /does not contain tool:x:call/,
  );
  expect(() => withChange("default", {}, { allow: ["tool:x:call"] })).toThrow(
    /has no ceiling to add to/,
  );
});

test("CEILING-SETTING-2: what is stored is read again, and what somebody else wrote is not", () => {
  const seal = new CeilingSeal([key("a")]);
  const stored = seal.text("acme", NARROW);
  const forged = JSON.stringify({ said: JSON.stringify({ ceiling: "none" }), mac: "00" });
  const unsigned = JSON.stringify({ said: JSON.stringify({ ceiling: "none" }) });

  expect(seal.read("acme", stored)).toEqual({ ok: true, setting: NARROW });
  for (const text of [forged, unsigned, "{}", "nonsense", stored.replace("echo", "evil")])
    expect(seal.read("acme", text)).toMatchObject({ ok: false });
  expect(seal.read("other", stored)).toMatchObject({ ok: false });
  expect(new CeilingSeal([key("b")]).read("acme", stored)).toMatchObject({ ok: false });
  expect(new CeilingSeal([key("b"), key("a")]).read("acme", stored)).toMatchObject({ ok: true });
  expect(new CeilingSeal([]).read("acme", unsigned)).toMatchObject({ ok: true });
});

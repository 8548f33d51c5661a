import { describe, expect, test } from "vitest";
import { compileLayer } from "./compile.ts";
import { defaultPolicy } from "./default-policy.ts";
import { Policy } from "../policy/engine.ts";
import type { Subject, Verdict } from "../policy/subject.ts";
import { subject, touchFrom } from "../../../tests/helpers/kernel/policy-subject.ts";

const none = { tools: new Set<string>(), channels: new Set<string>() };
const source = { format: "policy", document: defaultPolicy, origin: "built in" } as const;
const policy = new Policy([compileLayer("kernel", source, none)]);
const decide = (more: Partial<Subject>): Verdict => policy.decide(subject(more), ["kernel"]);

const RED = { label: { integrity: "untrusted", secrecy: "public" } } as const;
const posts = { tool: "http.post", sinks: ["egress"], effect: "external" } as const;

test("capabilities decide for a clean process, and for one that read through a strict schema", () => {
  expect(decide(posts).effect).toBe("allow");
  expect(decide({ ...posts, label: { integrity: "mixed", secrecy: "internal" } }).effect).toBe(
    "allow",
  );
  expect(decide({ call: "spawn", morePower: true }).effect).toBe("allow");
});

describe("a RED process", () => {
  test.each([
    [posts, "kernel/red-egress"],
    [{ tool: "http.get", sinks: ["egress"] }, "kernel/red-egress"],
    [{ call: "write", sinks: ["destructive"] }, "kernel/red-destructive"],
    [{ call: "remove", sinks: ["destructive"] }, "kernel/red-destructive"],
    [{ tool: "file.write", sinks: ["destructive"] }, "kernel/red-destructive"],
    [{ tool: "robot.move", effect: "external" }, "kernel/red-external"],
    [{ call: "spawn", morePower: true }, "kernel/red-power"],
  ] satisfies [Partial<Subject>, string][])("%j needs a person, or a pin", (more, rule) => {
    const verdict = decide({ ...RED, ...more });

    expect(verdict).toMatchObject({ effect: "ask", ask: { rule } });
    expect(verdict.say).toContain("untrusted");
    expect(decide({ ...RED, ...more, pinned: true }).effect).toBe("allow");
    expect(decide(more).effect).toBe("allow");
  });

  test.each([
    { call: "infer", model: "a/b", sinks: ["egress"] },
    { call: "ask", sinks: ["egress"] },
    { call: "write", sinks: ["write"] },
    { call: "write" },
    { call: "spawn" },
    { call: "send" },
    { call: "request" },
    { call: "publish" },
    { call: "signal" },
    { call: "read" },
    { call: "exit" },
    { tool: "file.write", sinks: ["write"], effect: "idempotent" },
    { tool: "crm.read" },
  ] satisfies Partial<Subject>[])("%j needs none", (more) => {
    expect(decide({ ...RED, ...more }).effect).toBe("allow");
  });
});

describe("what is secret", () => {
  const confidential = { label: { integrity: "trusted", secrecy: "confidential" } } as const;
  const secret = { label: { integrity: "trusted", secrecy: "secret" } } as const;

  test("confidential data leaves with a person or a pin; to the granted model without", () => {
    expect(decide({ ...confidential, ...posts })).toMatchObject({
      effect: "ask",
      ask: { rule: "kernel/confidential-leaves" },
    });
    expect(decide({ ...confidential, ...posts, pinned: true }).effect).toBe("allow");
    expect(decide({ ...confidential, call: "infer", sinks: ["egress"] }).effect).toBe("allow");
    expect(decide({ ...confidential, tool: "file.write", sinks: ["write"] }).effect).toBe("allow");
  });

  test("a secret never leaves, not even pinned or to the model", () => {
    expect(decide({ ...secret, ...posts, pinned: true })).toMatchObject({
      effect: "deny",
      rule: "kernel/secrets-stay",
    });
    expect(decide({ ...secret, call: "infer", sinks: ["egress"] }).effect).toBe("deny");
    expect(decide({ ...secret, call: "ask", sinks: ["egress"] }).effect).toBe("allow");
    expect(decide({ ...secret, tool: "file.write", sinks: ["write"] }).effect).toBe("allow");
  });
});

describe("files that hold keys", () => {
  const touches = (path: string, verb = "read"): Verdict =>
    decide({
      tool: "file.read",
      touches: [touchFrom("tool:file.read:call"), touchFrom(`file:${path}:${verb}`)],
    });

  test.each([
    "/home/ada/.ssh/id_rsa",
    "/home/ada/.ssh",
    "/home/ada/.SSH/config",
    "/home/ada/.aws/credentials",
    "/work/.env",
    "/work/.ENV",
    "/work/.env.production",
    "/home/ada/.npmrc",
    "/home/ada/.netrc",
    "/home/ada/.git-credentials",
    "/home/ada/.config/gcloud/credentials.db",
    "/home/ada/.docker/config.json",
    "/keys/id_ed25519",
    "/work/.env.example/.env",
  ])("%s is neither read nor written", (path) => {
    for (const verb of ["read", "write", "list", "remove"])
      expect(touches(path, verb)).toMatchObject({ effect: "deny", rule: "kernel/no-credentials" });
    expect(touches(path).say).toContain(path);
  });

  test.each([
    "/work/environment.ts",
    "/work/.env.example",
    "/work/ssh/readme",
    "/work/id_rsa.md",
    "/work/my.env",
    "/work/.envoy/x",
  ])("%s is a file like any other", (path) => {
    expect(touches(path).effect).toBe("allow");
  });
});

test("what says what agents are and may do is changed by a person's word only, deep or not", () => {
  const change = (text: string) => decide({ tool: "file.write", touches: [touchFrom(text)] });
  for (const text of ["file:/work/.agents/mcp.yaml:write", "file:/a/b/.agents/tools/x.ts:remove"])
    expect(change(text)).toMatchObject({ effect: "ask", ask: { rule: "kernel/own-rules" } });
  for (const text of ["file:/work/.agents/mcp.yaml:read", "file:/work/agents/a:write"])
    expect(change(text).effect).toBe("allow");
});

test("files that programs of the user obey are changed by a person's word, unless it can be taken back", () => {
  const change = (text: string, undoable = false) =>
    decide({ tool: "file.write", touches: [touchFrom(text)], undoable });
  const paths = [
    "/work/AGENTS.md",
    "/p/a/CLAUDE.md",
    "/work/.git/hooks/pre-commit",
    "/work/.git/config",
  ];
  for (const path of paths) {
    expect(change(`file:${path}:write`)).toMatchObject({
      effect: "ask",
      ask: { rule: "kernel/power-files" },
    });
    expect(change(`file:${path}:write`, true).effect).toBe("allow");
    expect(change(`file:${path}:read`).effect).toBe("allow");
  }
});

test("running a program is said to be that, and not to change the program", () => {
  const runs = {
    ...RED,
    tool: "shell.execute",
    sinks: ["destructive"],
    touches: [
      { kind: "tool", resource: "shell.execute", verb: "call" },
      { kind: "shell", resource: "npm", verb: "exec" },
    ],
  } as const;

  const said = decide(runs).say;

  expect(said).toContain("use shell.execute on npm");
  expect(said).not.toContain("change npm");
});

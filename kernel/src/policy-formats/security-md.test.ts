import { describe, expect, test } from "vitest";
import { compileLayer } from "./compile.ts";
import { Policy } from "../policy/engine.ts";
import { readAction, securityActions } from "./security-actions.ts";
import { frontMatter } from "./security-md.ts";
import type { Subject, Verdict } from "../policy/subject.ts";
import {
  known,
  problemsOf,
  subject,
  touchFrom,
} from "../../../tests/helpers/kernel/policy-subject.ts";

type Mode = "strict" | "permissive" | "audit";

const documentOf = (
  policies: readonly object[],
  mode: string,
  signals = ["SIGSTOP", "SIGINT"],
) => ({
  kernel: { version: "1.0", mode },
  signals,
  policies,
  observability: { metrics: true, traces: false },
});

const policyOf = (
  policies: readonly object[],
  mode: Mode = "strict",
  signals?: string[],
): Policy => {
  const document = documentOf(policies, mode, signals);
  const source = { format: "security.md", document, origin: ".agents/security.md" } as const;
  return new Policy([compileLayer("project", source, known)]);
};

const decide = (
  policies: readonly object[],
  more: Partial<Subject>,
  mode: Mode = "strict",
): Verdict => policyOf(policies, mode).decide(subject(more), ["project"]);

const reads = {
  tool: "file.read",
  touches: [touchFrom("tool:file.read:call"), touchFrom("file:/work/a:read")],
};
const writes = {
  tool: "file.write",
  effect: "idempotent",
  sinks: ["write"],
  touches: [touchFrom("tool:file.write:call"), touchFrom("file:/work/a:write")],
} as const;
const posts = {
  tool: "http.post",
  effect: "external",
  sinks: ["egress"],
  touches: [touchFrom("tool:http.post:call"), touchFrom("http:api.example.com/v1:post")],
} as const;

const allow = (action: string, more: object = {}) => ({ action, effect: "allow", ...more });
const deny = (action: string, more: object = {}) => ({ action, effect: "deny", ...more });

describe("modes", () => {
  test("strict: a violation is death, and what no policy speaks of is one", () => {
    expect(decide([allow("file_read")], reads)).toMatchObject({
      effect: "allow",
      rule: "project/file_read",
    });
    expect(decide([allow("file_read")], writes)).toMatchObject({
      effect: "kill",
      rule: "project/(nothing allows it)",
    });
    expect(decide([allow("*"), deny("file_write")], writes)).toMatchObject({
      effect: "kill",
      rule: "project/file_write",
    });
  });

  test("permissive: it is noted and allowed; what needs a person still asks", () => {
    expect(decide([allow("file_read")], writes, "permissive")).toMatchObject({
      effect: "allow",
      notes: ["project/(nothing allows it) would deny"],
    });
    expect(decide([allow("*"), deny("file_write")], writes, "permissive")).toMatchObject({
      effect: "allow",
      notes: ["project/file_write would deny"],
    });
    const asks = decide([allow("file_write", { requires_approval: true })], writes, "permissive");
    expect(asks.effect).toBe("ask");
  });

  test("audit: it is noted, and nothing is enforced", () => {
    const limited = [
      allow("file_write", {
        requires_approval: true,
        mode: "read_only",
        constraints: { timeout: "1s" },
      }),
    ];

    expect(decide(limited, writes, "audit")).toMatchObject({
      effect: "allow",
      notes: ["project/file_write (it is read_only) would deny", "project/file_write would ask"],
      timeoutMs: undefined,
    });
  });
});

describe("policies", () => {
  test("deny wins whatever the order", () => {
    for (const policies of [
      [allow("file_read"), deny("*")],
      [deny("*"), allow("file_read")],
    ])
      expect(decide(policies, reads).effect).toBe("kill");
  });

  test("two actions of one call are allowed by two policies, and by one of them not", () => {
    const uploads = { ...posts, touches: [...posts.touches, touchFrom("file:/work/a:read")] };

    expect(decide([allow("api_call"), allow("file_read")], uploads).effect).toBe("allow");
    expect(decide([allow("api_call")], uploads).effect).toBe("kill");
  });

  test("requires_approval asks a person, and allows no more than the action", () => {
    const approved = [allow("file_read", { requires_approval: true })];

    expect(decide(approved, reads)).toMatchObject({
      effect: "ask",
      ask: { rule: "project/file_read", quorum: 1, channels: [] },
    });
    const both = { ...posts, touches: [...posts.touches, touchFrom("file:/work/a:read")] };
    expect(decide(approved, both).effect).toBe("kill");
    expect(decide([allow("file_read", { requires_approval: false })], reads).effect).toBe("allow");
  });

  test("SECURITY-RULES-2: read_only binds, whatever else allows it", () => {
    const readOnly = [allow("*", { mode: "read_only" }), allow("file_write")];

    expect(decide(readOnly, writes)).toMatchObject({
      effect: "kill",
      rule: "project/* (it is read_only)",
    });
    expect(decide(readOnly, reads).effect).toBe("allow");
    expect(decide([allow("*", { mode: "read_write" })], writes).effect).toBe("allow");
    for (const more of [
      { call: "remove", touches: [touchFrom("memory:/mem/a:remove")] },
      { call: "send" },
      { call: "spawn", touches: [touchFrom("agent:helper:spawn")] },
      { tool: "crm.read", sinks: ["destructive"] },
      { tool: "crm.read", effect: "idempotent" },
    ] satisfies Partial<Subject>[])
      expect(decide([allow("*", { mode: "read_only" })], more).effect).toBe("kill");
    expect(
      decide([allow("*", { mode: "read_only" })], { tool: "http.get", sinks: ["egress"] }).effect,
    ).toBe("allow");
  });

  test("rate_limit: the one too many is a violation", () => {
    for (const [limit, mode, effect] of [
      ["1/hour", "strict", "kill"],
      ["1/minute", "permissive", "allow"],
      ["1 / day", "audit", "allow"],
    ] as const) {
      const policy = policyOf([allow("file_read", { rate_limit: limit })], mode);
      const verdict = policy.decide(subject(reads), ["project"]);
      expect(verdict.rates).toHaveLength(1);
      policy.rates.charge(verdict.rates, subject().atMs);

      expect(policy.decide(subject(reads), ["project"])).toMatchObject({ effect });
    }
  });

  test("constraints become limits of the verdict", () => {
    const held = (constraints: object, more: Partial<Subject>) =>
      decide([allow("*", { constraints })], more);

    expect(held({ log: true, dry_run: true, timeout: 2.5, max_bytes: "1KB" }, reads)).toMatchObject(
      {
        effect: "allow",
        notes: ["project/* was used"],
        dryRun: true,
        timeoutMs: 2500,
        maxBytes: 1000,
      },
    );
    expect(held({ timeout: "30s", max_bytes: 9 }, reads)).toMatchObject({
      timeoutMs: 30_000,
      maxBytes: 9,
    });
    const cost = { usd: 0.5, tokens: 0, toolCalls: 1 };
    expect(held({ max_cost_usd: 0.5 }, { ...reads, cost }).effect).toBe("allow");
    expect(held({ max_cost_usd: 0.4 }, { ...reads, cost }).effect).toBe("kill");
    expect(held({ allowed_hosts: ["*.example.com"] }, posts).effect).toBe("allow");
    expect(held({ allowed_hosts: ["example.org"] }, posts).rule).toContain("allowed_hosts");
    expect(held({ allowed_hosts: ["example.org"] }, posts).effect).toBe("kill");
    expect(held({ allowed_paths: ["/work/**"] }, reads).effect).toBe("allow");
    expect(held({ allowed_paths: ["/data/**"] }, reads).effect).toBe("kill");
    const memory = { call: "read", touches: [touchFrom("memory:/mem/a:read")] };
    expect(held({ allowed_paths: ["/data/**"] }, memory).effect).toBe("kill");
    expect(held({ allowed_tools: ["file.*"] }, reads).effect).toBe("allow");
    expect(held({ allowed_tools: ["crm.read"] }, reads).effect).toBe("kill");
  });

  test("a tool's own name is an action, and so is a pattern", () => {
    expect(decide([allow("crm.read")], { tool: "crm.read" }).effect).toBe("allow");
    expect(decide([allow("crm.*")], { tool: "crm.read" }).effect).toBe("allow");
    expect(decide([allow("crm.read")], { tool: "send_money" }).effect).toBe("kill");
  });
});

describe("the table of actions has a row for", () => {
  test("every row can be read", () => {
    for (const action of Object.keys(securityActions))
      expect(readAction(action, known).selectors.length).toBeGreaterThan(0);
  });

  test.each([
    ["file_read", { call: "search", touches: [touchFrom("memory:/mem/a:search")] }],
    ["file_write", { call: "remove", touches: [touchFrom("memory:/mem/a:remove")] }],
    ["file_delete", { call: "remove", touches: [touchFrom("memory:/mem/a:remove")] }],
    ["memory_read", { call: "list", touches: [touchFrom("memory:/mem:list")] }],
    ["memory_write", { call: "write", touches: [touchFrom("memory:/mem/a:write")] }],
    ["database_query", { tool: "mcp.postgres.query" }],
    ["database_write", { tool: "sql.run", effect: "external" }],
    ["api_call", posts],
    ["web_browse", { tool: "crm.read", touches: [touchFrom("browser:example.com/:click")] }],
    ["send_email", { tool: "mail.send_now", effect: "external" }],
    ["code_execution", { tool: "crm.read", touches: [touchFrom("shell:git:exec")] }],
    ["tool_call", { tool: "crm.read" }],
    ["spawn", { call: "spawn", touches: [touchFrom("agent:helper:spawn")] }],
    ["send_message", { call: "publish", touches: [touchFrom("message:news:publish")] }],
    ["receive_message", { call: "subscribe", touches: [touchFrom("message:news:subscribe")] }],
    ["send_signal", { call: "signal", args: { signal: "SIGINT" } }],
    ["wait", { call: "wait", touches: [touchFrom("agent:agt_2:wait")] }],
    ["use_secret", { tool: "crm.read", touches: [touchFrom("secret:TOKEN:use")] }],
  ] satisfies [string, Partial<Subject>][])("%s", (action, more) => {
    expect(decide([allow(action)], more).effect).toBe("allow");
    expect(decide([allow("ask_person")], more).effect).toBe("kill");
    expect(decide([allow("*"), deny(action)], more).effect).toBe("kill");
  });

  test("a query that writes is no query; denied as a query it is denied", () => {
    const writing = { tool: "db.run", effect: "external" } as const;

    expect(decide([allow("database_query")], writing).effect).toBe("kill");
    expect(decide([allow("*"), deny("database_query")], writing).effect).toBe("kill");
    expect(decide([allow("*"), deny("database_write")], { tool: "db.run" }).effect).toBe("allow");
  });

  test("SECURITY-RULES-1: what is no action needs no policy, and can still be forbidden", () => {
    for (const call of ["now", "exit", "sleep", "self", "checkpoint", "receive", "ask", "infer"]) {
      expect(decide([allow("file_read")], { call }).effect).toBe("allow");
      expect(decide([allow("file_read"), deny("*")], { call }).effect).toBe("kill");
    }
    const infers = { call: "infer", model: "a/b", touches: [touchFrom("model:a/b:infer")] };
    expect(decide([allow("file_read")], infers).effect).toBe("allow");
    expect(decide([deny("model_call")], { call: "infer", model: "a/b" }).effect).toBe("kill");
  });
});

test("SECURITY-RULES-1: a call that touches nothing and still does something is an action", () => {
  for (const more of [
    { call: "write", sinks: ["write"] },
    { call: "open", effect: "external" },
  ] satisfies Partial<Subject>[]) {
    expect(decide([allow("file_read")], more).effect).toBe("kill");
    expect(decide([allow("*", { mode: "read_only" })], more).effect).toBe("kill");
  }
});

describe("signals", () => {
  test("are only those of the list, by any spelling of the name", () => {
    const policy = policyOf([allow("*")], "strict", ["STOP", "sigint"]);

    expect(policy.allowsSignal(["project"], "SIGSTOP")).toBe(true);
    expect(policy.allowsSignal(["project"], "SIGKILL")).toBe(false);
    expect(policy.allowsSignal(["project", "gone"], "SIGSTOP")).toBe(false);
  });

  test.each(["permissive", "audit"] as const)(
    "%s: one that is not of the list is let pass",
    (mode) => {
      const policy = policyOf([allow("*")], mode, ["STOP"]);

      expect(policy.allowsSignal(["project"], "SIGKILL")).toBe(true);
    },
  );

  test("a call that sends another is a violation", () => {
    const send = (signal: string) => ({ call: "signal", args: { pid: "agt_2", signal } });

    expect(decide([allow("*")], send("SIGINT")).effect).toBe("allow");
    expect(decide([allow("*")], send("SIGKILL"))).toMatchObject({
      effect: "kill",
      rule: "project/signals",
    });
    expect(decide([allow("*")], { call: "signal", args: null }).effect).toBe("kill");
  });
});

describe("a security.md is refused when it is loaded", () => {
  const problems = (document: unknown) =>
    problemsOf(() =>
      compileLayer("project", { format: "security.md", document, origin: "x" }, known),
    ).map(({ path, message }) => `${path.join(".")}: ${message}`);

  test.each([
    [
      allow("file_raed"),
      'policies.0.action: "file_raed" is neither an action nor a tool; did you mean',
    ],
    [allow("*", { constraints: { cpu: 1 } }), 'policies.0.constraints.cpu: unknown key "cpu"'],
    [allow("*", { rate_limit: "9/week" }), "policies.0.rate_limit: per s"],
    [
      allow("*", { constraints: { allowed_tools: ["nope"] } }),
      "constraints.allowed_tools.0: no tool",
    ],
    [allow("*", { constraints: { allowed_paths: ["x"] } }), "allowed_paths: a path starts with /"],
    [allow("*", { constraints: { timeout: "1y" } }), "timeout: expected a time"],
    [deny("*", { rate_limit: "9/hour" }), "policies.0.rate_limit: limits need effect: allow"],
    [deny("*", { mode: "read_only" }), "policies.0.mode: limits need effect: allow"],
    [
      deny("*", { requires_approval: true }),
      "policies.0.requires_approval: limits need effect: allow",
    ],
    [
      deny("*", { constraints: { dry_run: true } }),
      "policies.0.constraints.dry_run: limits need effect: allow",
    ],
    [{ action: "*", effect: "maybe" }, "policies.0.effect:"],
  ])("%j", (policy, message) => {
    expect(problems(documentOf([policy], "strict")).join("\n")).toContain(message);
  });

  test("signals, version, mode and what is missing", () => {
    const good = documentOf([allow("*")], "strict");

    const wrongSignals = problems({ ...good, signals: ["SIGNOPE", "SIGINT", "9"] });
    expect(wrongSignals.map((text) => text.split(":")[0])).toEqual(["signals.0", "signals.2"]);
    expect(problems({ ...good, kernel: { version: "2.0", mode: "strict" } })[0]).toContain("1.0");
    expect(problems({ ...good, kernel: { version: "1.0", mode: "lax" } })[0]).toContain("mode");
    expect(problems({ ...good, policies: [] })[0]).toContain("policies");
    expect(problems({ kernel: good.kernel })).toHaveLength(2);
    expect(problems({ ...good, extra: 1 })[0]).toBe('extra: unknown key "extra"');
  });

  test("front matter keeps its lines, and pure YAML is left as it is", () => {
    expect(frontMatter("---\nkernel:\n  mode: strict\n---\n# Why\n---\nx: 1\n")).toBe(
      "\nkernel:\n  mode: strict",
    );
    expect(frontMatter("\r\n---\r\na: 1\r\n---\r\ntext")).toBe("\n\na: 1");
    expect(frontMatter("a: 1\n---\nb: 2\n")).toBe("a: 1\n---\nb: 2\n");
    expect(frontMatter("---\na: 1\n")).toBe("---\na: 1\n");
    expect(frontMatter("# Why\n---\na: 1\n---\n")).toBe("# Why\n---\na: 1\n---\n");
    expect(frontMatter("")).toBe("");
    expect(frontMatter("\u{feff}---\na: 1\n---\n")).toBe("\na: 1");
  });
});

import { agentRoleSchema, type AgentRoleText, type Json } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { checkPlan, type PlanContext } from "./check-plan.ts";

const role = (name: string, more: Partial<AgentRoleText> = {}) =>
  [name, agentRoleSchema.parse({ name, program: "noop", ...more })] as const;

const ground: PlanContext = {
  roles: new Map([
    role("noop"),
    role("speaks", { program: undefined, message: "speak" }),
    role("writer", {
      capabilities: ["file:{inputs.*}:read", "file:{output}:write"],
      parameters: { inputs: { type: "string_list" }, output: { type: "path", required: true } },
    }),
    role("notes", {
      parameters: {
        where: { type: "path" },
        page: { type: "url" },
        text: { type: "string" },
        all: { type: "string_list" },
      },
    }),
  ]),
  budget: { usd: 1, tokens: 100, toolCalls: 10, wall: 60_000 } as PlanContext["budget"],
  ladder: ["one/small", "one/large"],
};

const step = (id: string, of: string, more: object = {}) => ({ id, role: of, ...more });
const planOf = (...subtasks: { readonly id: string }[]) =>
  ({ subtasks, final_output: subtasks[0]!.id }) as unknown as Json;

function faultsOf(plan: Json, more: Partial<PlanContext> = {}): string {
  const checked = checkPlan(plan, { ...ground, ...more });
  return "faults" in checked ? checked.faults.join("\n") : "none";
}

describe("a plan is refused", () => {
  test.each<[string, Json, string]>([
    [
      "for a dependency that is no subtask",
      planOf(step("a", "noop", { depends_on: ["ghost"] })),
      "a: depends_on names ghost, which is no subtask",
    ],
    [
      "for a path outside that grants nothing",
      planOf(step("a", "notes", { params: { where: "../x" } })),
      "params.where",
    ],
    [
      "for a path outside in a list",
      planOf(step("a", "writer", { params: { output: "x", inputs: ["x", "/etc/passwd"] } })),
      "is outside the workspace",
    ],
    [
      "for an output outside",
      planOf(step("a", "noop", { outputs: ["/etc/passwd"] })),
      'a: outputs: "/etc/passwd" is outside the workspace',
    ],
    [
      "for a URL with a password that grants nothing",
      planOf(step("a", "notes", { params: { page: "https://a:b@x.example/" } })),
      "params.page",
    ],
    [
      "for a number in the place of a text",
      planOf(step("a", "notes", { params: { text: 7 } })),
      "a: params.text: must be a string",
    ],
    [
      "for a text that is too long",
      planOf(step("a", "notes", { params: { text: "x".repeat(8001) } })),
      "has more than 8000 characters",
    ],
    [
      "for a text in the place of a list",
      planOf(step("a", "notes", { params: { all: "x" } })),
      "must be a list of strings",
    ],
    [
      "for a list of what is no text",
      planOf(step("a", "notes", { params: { all: [{}] } })),
      "must be a list of strings",
    ],
    [
      "for a list that is too long",
      planOf(step("a", "notes", { params: { all: ["x".repeat(8001)] } })),
      "has more than 8000 characters",
    ],
    [
      "for a parameter of Object.prototype",
      planOf(step("a", "noop", { params: { constructor: "x" } })),
      "params.constructor: the role noop has no such parameter",
    ],
    ["for a tier above the ladder", planOf(step("a", "speaks", { tier: 2 })), "tier 2 is beyond"],
    ["for a field of nobody", planOf(step("a", "noop", { sudo: true })), "unknown sudo"],
    ...(["usd", "tokens", "toolCalls", "wall"] as const).map((unit): [string, Json, string] => [
      `for more ${unit} than the goal has`,
      planOf(step("a", "noop", { budget: { [unit]: unit === "wall" ? "2m" : 101 } })),
      `${unit} is more than the goal's`,
    ]),
    ...(["tokens", "toolCalls"] as const).map((unit): [string, Json, string] => [
      `for ${unit} that come to more together`,
      planOf(
        ...["a", "b"].map((id) =>
          step(id, "noop", { budget: { [unit]: unit === "tokens" ? 60 : 6 } }),
        ),
      ),
      "the budgets of the subtasks come to",
    ]),
  ])("%s", (_why, plan, fault) => {
    expect(faultsOf(plan)).toContain(fault);
  });

  test("where neither role nor goal has a model", () => {
    expect(faultsOf(planOf(step("a", "speaks")), { ladder: [] })).toContain("has a model");
    expect(faultsOf(planOf(step("a", "speaks")))).toBe("none");
  });

  test("where it reads a file that nobody writes and the workspace does not have", () => {
    const plan = planOf(step("a", "writer", { params: { output: "/work/y", inputs: ["x"] } }));

    expect(faultsOf(plan, { present: new Set() })).toContain("reads /work/x, which no subtask");
    expect(faultsOf(plan, { present: new Set(["/work/x"]) })).toBe("none");
  });

  test("with all of its faults at once", () => {
    const plan = planOf(
      step("a", "root"),
      step("b", "noop", { depends_on: ["b"], outputs: ["../x"] }),
    );

    expect(faultsOf(plan).split("\n")).toHaveLength(3);
  });
});

test("subtasks may take longer together than the goal: they run at once", () => {
  const long = ["a", "b"].map((id) => step(id, "noop", { budget: { wall: "40s" } }));

  expect(faultsOf(planOf(...long))).toBe("none");
});

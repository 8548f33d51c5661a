import { expect, test } from "vitest";
import { agentRoleSchema, type AgentRoleText } from "./agent-role.ts";

const role = (more: Partial<AgentRoleText>) => ({
  name: "writer",
  message: "write",
  parameters: { output: { type: "path" }, inputs: { type: "string_list" } },
  ...more,
});

test.each(["file:{output}:write", "file:{inputs.*}:read", "http:{output}/**:get{rate=1/m}"])(
  "ROLE-1: %s is a template",
  (capability) => {
    expect(agentRoleSchema.safeParse(role({ capabilities: [capability] })).success).toBe(true);
  },
);

test.each([
  ["a kind", "{output}:/work/x:write"],
  ["a verb", "file:/work/x:{output}"],
  ["a constraint", "tool:pay:call{max={output}}"],
  ["the middle of a resource", "file:/work/{output}:write"],
  ["the end of a word", "file:{output}.md:write"],
  ["two resources", "file:{output}{output}:write"],
])("ROLE-1: a placeholder is not %s", (_what, capability) => {
  const { error } = agentRoleSchema.safeParse(role({ capabilities: [capability] }));

  expect(error?.issues[0]).toMatchObject({
    path: ["capabilities", 0],
    message: expect.stringContaining("is the beginning of a resource"),
  });
});

test.each<[string, Partial<AgentRoleText>, string]>([
  ["of a capability", { capabilities: ["file:{ghost}:read"] }, "{ghost} is no parameter"],
  ["of the message", { message: "write {ghost}" }, "{ghost} is no parameter"],
  ["that is a list", { capabilities: ["file:{inputs}:read"] }, "is for a string_list"],
  ["that is no list", { capabilities: ["file:{output.*}:read"] }, "is for a string_list"],
])("ROLE-2: a placeholder %s is a parameter of the role", (_what, more, message) => {
  const { error } = agentRoleSchema.safeParse(role(more));

  expect(error?.issues[0]!.message).toContain(message);
});

test("a role is asked something, or is a program", () => {
  expect(agentRoleSchema.safeParse({ name: "mute" }).success).toBe(false);
  expect(agentRoleSchema.safeParse({ name: "mute", program: "noop" }).success).toBe(true);
});

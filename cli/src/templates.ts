// Templates of `aos init`. Each is a folder in cli/templates.

export const templates = {
  hello: "an agent on a scripted model that calls a tool",
  approval: "an agent that needs a person's approval after reading untrusted text",
  python: "an agent that is a program in Python",
  typescript: "an agent that is a program in TypeScript",
  tools: "an agent with a tool of its own, in TypeScript",
  mcp: "an agent with the tools of an MCP server",
  team: "a workflow of several agents",
} as const satisfies Record<string, string>;

export type TemplateName = keyof typeof templates;

export const isTemplate = (text: string): text is TemplateName => Object.hasOwn(templates, text);

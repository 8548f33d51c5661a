// Tags: the chapters of the document. An operation is in the first one whose paths it begins with.

interface Tag {
  readonly name: string;
  readonly description: string;
  /** Below API_ROOT, or whole. */
  readonly paths: RegExp;
}

const ofProcess = (words: string) => new RegExp(`^/processes/:pid/(${words})\\b`);

const tags: readonly Tag[] = [
  {
    name: "Events",
    description: "What processes do, as it happens.",
    paths: /^(\/events|\/processes\/:pid\/(events|watch|attach))$/,
  },
  {
    name: "Journal",
    description: "What was done, why, and whether it is still as it was written.",
    paths: new RegExp(
      `${ofProcess("journal|core|causes|moment|replay|fork|retry").source}|^/audit`,
    ),
  },
  {
    name: "Authority",
    description: "Capabilities: holders, reasons for decisions, and capability tokens.",
    paths: new RegExp(`${ofProcess("check|why").source}|^/(power|grants|suggestions|tokens)`),
  },
  {
    name: "Workspaces",
    description: "What was changed in `/work`.",
    paths: ofProcess("changes|undo|commit"),
  },
  {
    name: "Contexts",
    description: "What a process shows its model.",
    paths: ofProcess("context"),
  },
  {
    name: "Memory",
    description: "What processes have written below `/mem`, and messages that nobody will take.",
    paths: new RegExp(`${ofProcess("memory").source}|^/memory|^/messages`),
  },
  {
    name: "Tenants",
    description: "Whose processes there are, and what they have spent.",
    paths: /^\/tenants/,
  },
  {
    name: "Models and money",
    description: "Models, providers, spending and estimates.",
    paths: /^\/(models|providers|cost|queue)|estimate$/,
  },
  {
    name: "Tests",
    description: "Tests of agents.",
    paths: /^\/tests|^\/processes\/:pid\/test$/,
  },
  {
    name: "Processes",
    description: "Agents that run, and have run.",
    paths: /^\/(processes|agents)/,
  },
  { name: "Approvals", description: "What waits for a person.", paths: /^\/questions/ },
  { name: "Policy", description: "The rules in force, and trying others.", paths: /^\/policy/ },
  { name: "Secrets", description: "Values that no agent sees.", paths: /^\/secrets/ },
  {
    name: "Tools",
    description: "Tools, MCP servers and skills.",
    paths: /^\/(tools|mcp\/servers|skills)/,
  },
  {
    name: "Access",
    description: "Access: tokens and sessions.",
    paths: /^\/(access-tokens|session)/,
  },
  {
    name: "OpenAI",
    description: "Every agent as a model, for clients of OpenAI's API.",
    paths: /^\/v1\//,
  },
  { name: "MCP", description: "The daemon as an MCP server.", paths: /^\/mcp$/ },
  {
    name: "Daemon",
    description: "The daemon itself: its health, its care, this document.",
    paths: /^\//,
  },
];

/** `path` as routes have it: `/processes/:pid`. */
export const openapiTag = (path: string): string =>
  tags.find(({ paths }) => paths.test(path))!.name;

/** What most people come for is the first chapter, though it takes what the others leave. */
const isFirst = ({ name }: Tag): number => (name === "Processes" ? 0 : 1);

export const tagsOf = (used: ReadonlySet<string>) =>
  tags
    .filter(({ name }) => used.has(name))
    .toSorted((a, b) => isFirst(a) - isFirst(b))
    .map(({ name, description }) => ({ name, description }));

// What the conformance suite (@modelcontextprotocol/conformance) wants to find on a server: tools, prompts and
// resources of its own beside those of the server under test. The daemon has no way to have them: a test puts
// this in place of the library that the daemon makes its server with.
//
//   vi.mock("@modelcontextprotocol/server", async (original) =>
//     (await import("./conformance/index.ts")).withFixtures(original));

import type * as mcp from "@modelcontextprotocol/server";
import type {
  McpHttpHandler,
  Result,
  Server,
  ServerCapabilities,
  ServerContext,
  ServerEvent,
} from "@modelcontextprotocol/server";
import { askingTools } from "./asking-tools.ts";
import { contentTools } from "./content-tools.ts";
import { fixture, said, type Fixture } from "./fixture.ts";
import { addPrompts } from "./prompts.ts";
import { fixtureResources, fixtureTemplates, readFixture } from "./resources.ts";
import { roundTools, sealed } from "./round-tools.ts";

type Library = typeof mcp;

/** Everybody who listens to changes of lists. */
const buses = new Set<{ publish(event: ServerEvent): void }>();

/** Says that a list changed; none of them really does. */
const changed = (name: string, kind: "tools_list_changed" | "prompts_list_changed"): Fixture =>
  fixture(name, () => {
    for (const bus of buses) bus.publish({ kind });
    return said(`${kind} was published`);
  });

const tools: readonly Fixture[] = [
  ...contentTools,
  ...askingTools,
  ...roundTools,
  changed("test_trigger_tool_change", "tools_list_changed"),
  changed("test_trigger_prompt_change", "prompts_list_changed"),
];

const capabilities: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
};

interface Request {
  readonly params?: { readonly [name: string]: unknown };
}
type Handler = (request: Request, context: ServerContext) => Promise<Result>;

/** What a handler of the daemon's server answers, with the fixtures beside it. */
const beside: Readonly<Record<string, (own: Handler) => Handler>> = {
  "tools/list": (own) => async (request, context) => {
    const answer = (await own(request, context)) as { tools: unknown[] };
    return { ...answer, tools: [...answer.tools, ...tools.map(({ tool }) => tool)] };
  },
  "tools/call": (own) => async (request, context) => {
    const { name, arguments: args = {} } = request.params!;
    const found = tools.find(({ tool }) => tool.name === name);
    if (found === undefined) return own(request, context);
    return (await found.run(args as Record<string, unknown>, context)) as Result;
  },
  "resources/list": (own) => async (request, context) => {
    const answer = (await own(request, context)) as { resources: unknown[] };
    const more = request.params?.["cursor"] === undefined ? fixtureResources : [];
    return { ...answer, resources: [...answer.resources, ...more] };
  },
  "resources/templates/list": (own) => async (request, context) => {
    const answer = (await own(request, context)) as { resourceTemplates: unknown[] };
    return { ...answer, resourceTemplates: [...answer.resourceTemplates, ...fixtureTemplates] };
  },
  "resources/read": (own) => async (request, context) =>
    (readFixture(request.params!["uri"] as string) as Result | undefined) ?? own(request, context),
};

export async function withFixtures(original: () => Promise<unknown>): Promise<object> {
  const library = (await original()) as Library;
  class ConformanceServer extends library.Server {
    constructor(...[info, options = {}]: ConstructorParameters<Library["Server"]>) {
      super(info, {
        ...options,
        capabilities: { ...options.capabilities, ...capabilities },
        requestState: { verify: (state, context) => sealed.verify(state, context) },
      });
      const set = this.setRequestHandler.bind(this) as (method: string, ...rest: unknown[]) => void;
      this.setRequestHandler = ((method: string, ...rest: [Handler, ...unknown[]]) => {
        const [handler, ...schemas] = rest;
        set(method, beside[method]?.(handler) ?? handler, ...schemas);
      }) as Server["setRequestHandler"];
      addPrompts(this);
    }
  }
  const createMcpHandler = (
    ...[create, options]: Parameters<Library["createMcpHandler"]>
  ): McpHttpHandler => {
    if (options?.bus !== undefined) buses.add(options.bus);
    return library.createMcpHandler(create, options);
  };
  return { ...library, Server: ConformanceServer, createMcpHandler };
}

// Fixtures that need more than one round: they answer with what they want to know, and are called again with
// it (revision 2026-07-28). What they remember from round to round is sealed, and travels with the client.

import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  type InputRequests,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Fixture, fixture, type FixtureResult, said } from "./fixture.ts";

interface Remembered {
  readonly tool: string;
  readonly round: number;
  readonly name?: string;
}

/** A key of this daemon's life: nothing is remembered beyond it. */
export const sealed = createRequestStateCodec<Remembered>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

const form = (message: string, field: string, type: "string" | "boolean" = "string") =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [field]: { type } as { type: "string" } },
      required: [field],
    },
  });

const question = (text: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 100,
  });

const wordIn = ({ mcpReq }: ServerContext, key: string, field: string): string | undefined => {
  const content = acceptedContent(mcpReq.inputResponses, key);
  const word = content?.[field];
  return typeof word === "string" ? word : undefined;
};

/** What this very request says that its client can do. */
const declared = ({ mcpReq }: ServerContext): ClientCapabilities => {
  const envelope = (mcpReq.envelope ?? {}) as Record<string, unknown>;
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
};

interface Response {
  readonly content?: { readonly text?: string };
  readonly roots?: readonly { readonly uri?: string }[];
}

const responseOf = ({ mcpReq }: ServerContext, key: string): Response | undefined =>
  mcpReq.inputResponses?.[key] as Response | undefined;

const wants = (inputRequests: InputRequests, requestState?: string): FixtureResult =>
  inputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState }) });

const mint = (tool: string, round = 1, name?: string): Promise<string> =>
  sealed.mint({ tool, round, ...(name === undefined ? {} : { name }) });

const rounds: Record<string, (context: ServerContext) => Promise<FixtureResult> | FixtureResult> = {
  elicitation(context) {
    const name = wordIn(context, "user_name", "name");
    if (name !== undefined) return said(`Hello, ${name}!`);
    return wants({ user_name: form("What is your name?", "name") });
  },
  sampling(context) {
    const reply = responseOf(context, "capital_question");
    if (reply !== undefined) return said(`Sampling response: ${reply.content?.text ?? ""}`);
    return wants({ capital_question: question("What is the capital of France?") });
  },
  list_roots(context) {
    const roots = responseOf(context, "client_roots")?.roots;
    if (roots !== undefined) return said(`Roots: ${roots.map(({ uri }) => uri).join(", ")}`);
    return wants({ client_roots: inputRequired.listRoots() });
  },
  async request_state(context) {
    const state = context.mcpReq.requestState<Remembered>();
    const isSaid = acceptedContent(context.mcpReq.inputResponses, "confirm") !== undefined;
    if (isSaid && state?.tool === "request_state") return said("state-ok");
    return wants({ confirm: form("Please confirm", "ok", "boolean") }, await mint("request_state"));
  },
  async multiple_inputs(context) {
    const name = wordIn(context, "user_name", "name");
    const greeting = responseOf(context, "greeting")?.content?.text;
    const roots = responseOf(context, "client_roots")?.roots;
    if (name !== undefined && greeting !== undefined && roots !== undefined)
      return said(`${greeting} ${name}, of ${roots.length} roots`);
    const all = {
      user_name: form("What is your name?", "name"),
      greeting: question("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    };
    return wants(all, await mint("multiple_inputs"));
  },
  async multi_round(context) {
    const state = context.mcpReq.requestState<Remembered>();
    const round = state?.tool === "multi_round" ? state.round : 0;
    if (round === 0) {
      const next = await mint("multi_round", 1);
      return wants({ step1: form("Step 1: What is your name?", "name") }, next);
    }
    if (round === 1) {
      const next = await mint("multi_round", 2, wordIn(context, "step1", "name") ?? "somebody");
      return wants({ step2: form("Step 2: What is your favorite color?", "color") }, next);
    }
    return said(`${state?.name} likes ${wordIn(context, "step2", "color") ?? "no color"}`);
  },
  // State that was changed on the way never comes this far: the server refuses it before.
  async tampered_state(context) {
    const isSaid = acceptedContent(context.mcpReq.inputResponses, "confirm") !== undefined;
    if (isSaid && context.mcpReq.requestState() !== undefined) return said("integrity-ok");
    return wants(
      { confirm: form("Please confirm", "ok", "boolean") },
      await mint("tampered_state"),
    );
  },
  capabilities(context) {
    if (context.mcpReq.inputResponses !== undefined) return said("What was asked for was given");
    const { elicitation, sampling, roots } = declared(context);
    const able: InputRequests = {
      ...(elicitation === undefined ? {} : { user_name: form("What is your name?", "name") }),
      ...(sampling === undefined ? {} : { greeting: question("Generate a short greeting") }),
      ...(roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
    };
    return Object.keys(able).length === 0 ? said("There is nothing to ask with") : wants(able);
  },
};

/** Asks with what the client has not said that it can do: the server refuses that. */
const missingCapability = fixture("test_missing_capability", (context) => {
  if (responseOf(context, "llm_answer") !== undefined) return said("It was sampled");
  return wants({ llm_answer: question("Reply with one word") });
});

export const roundTools: readonly Fixture[] = [
  ...Object.entries(rounds).map(([name, run]) =>
    fixture(`test_input_required_result_${name}`, run),
  ),
  missingCapability,
];

export const promptContext = (context: ServerContext): string | undefined =>
  wordIn(context, "user_context", "context");
export const askForContext = (): FixtureResult =>
  wants({ user_context: form("What context should the prompt use?", "context") });

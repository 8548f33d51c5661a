// The pages of the calls that reach a model, a tool or a person.

import type { Pages } from "./page.ts";

export const outsidePages: Pages<"infer" | "exec" | "ask" | "check"> = {
  infer: {
    synopsis:
      "sys.infer({ model, messages, tools?, maxTokens? }): Promise<{ text, toolCalls, finish, usage }>",
    description: [
      "Sends a request to a model and returns its whole answer. Models are named `provider/model`; `scripted/NAME` answers from NAME.yaml and needs no key.",
      "The model runs no tools: its tool calls are in `toolCalls`, and the program makes them itself with [exec](exec.md), each through the gate. `finish` is `tool`, `stop`, or `length` when the answer was cut off.",
      "The messages are kept as a chain of blocks: a conversation of n turns costs n blocks, not n² messages. Tokens and money are recorded with the answer and charged to the process and to all above it.",
      "Where the model's window is known, `context` of the answer says how many tokens the request and the answer have, by the provider's count, and how many there can be. At 70 % of it, or at `context.compactAt` of the manifest, the process is sent SIGCTX, once until its context was shorter.",
      "If a crash comes before the answer is recorded, the request is sent again: inference has no external effect.",
    ],
    rights: "`model:PROVIDER/MODEL:infer`.",
    errors: [
      ["ENOENT", "the provider or script does not exist"],
      ["EBUDGET", "the worst-case cost exceeds what is left of the budget or of a grant's `usd`"],
      ["EPOLICY", "the process has read secret data, and the model is not on this machine"],
      ["ETIMEDOUT", "the call exceeded the grant's `timeout`"],
      [
        "ECONTEXT",
        "the messages exceed the context window of the model; nothing was sent ([context](../context.md))",
      ],
      ["EUPSTREAM", "the provider failed"],
    ],
    limits: [
      "The driver states the worst-case cost before the request; it is reserved in the budgets of the whole tree.",
    ],
    seeAlso: ["exec", "check"],
  },
  exec: {
    synopsis: "sys.exec(tool: string, args: Json, { key?, onDoubt?, timeoutMs? }): Promise<Json>",
    description: [
      "Runs a tool and returns its result. The result has the label of the tool, or `untrusted` if the tool has none; it joins the label of the process.",
      "A tool declares its effect. `read` and `idempotent` are run again when a crash hid their outcome. For `external` two records are written: the intent is on the disk before the tool starts, the outcome after. If a crash leaves an intent without an outcome the call is _in doubt_, and `onDoubt` decides: `ask` (the default) puts it to a person, who says `retry`, `done` (the call then answers null) or `fail`; `retry` runs it again; `fail` ends the call with `EINDOUBT`.",
      "`key` is handed to the tool, which can pass it on so that the far side does the work once. Without one it is made from the pid and the number of the call; it is the same for every try.",
    ],
    rights:
      "`tool:NAME:call`, and a capability for each resource that the tool says this call touches: `file.read` of `/data/x` needs `file:/data/x:read` as well.",
    errors: [
      ["ENOENT", "the tool does not exist"],
      ["EINVAL", "the arguments do not fit the schema of the tool"],
      [
        "EINDOUBT",
        "after a crash it is unknown whether the effect happened, and no person decided to repeat it",
      ],
      ["EDENIED", "a rule requires approval, and a person denied the call"],
      [
        "EBUDGET",
        "the budget has no tool call left, or the result exceeds the bytes left in the grant",
      ],
      ["EPOLICY", "the process has read secret data, and the tool reaches outside"],
      ["ETIMEDOUT", "the call exceeded `timeoutMs` or the grant's `timeout`"],
      ["EUPSTREAM", "the tool failed"],
    ],
    limits: [
      "`tool` and `key`: 200 characters each.",
      "The arguments: 16 MiB (`limits.argumentBytes`).",
    ],
    seeAlso: ["infer", "check", "ask"],
    alsoKnownAs: "SYS_EXEC",
  },
  ask: {
    synopsis: "sys.ask(question: string, { choices?, until? }): Promise<string>",
    description: [
      "Asks a person and returns the answer: one of `choices`, or free text if there are none. `aos approvals` shows it, `aos approve` and `aos deny` answer it. The process may be unloaded while it waits; the answer may arrive a week and several restarts later.",
      "The first answer is final. `until` is when the question expires, in milliseconds since 1970.",
    ],
    rights: "",
    errors: [["ETIMEDOUT", "nobody answered before `until`"]],
    limits: ["The question: 1 to 4,000 characters."],
    seeAlso: ["exec", "receive"],
  },
  check: {
    synopsis: "sys.check(call: SyscallName, args: Json): Promise<{ allow, code?, reason?, hint? }>",
    description: [
      "Returns the decision of the gate about a call, without charging or making it. The gate checks capability, policy, labels, quota, approval and budget, in this order. A call that needs approval is `allow: false` with `EDENIED`.",
    ],
    rights: "",
    errors: [],
    limits: ["The answer holds for this moment; only the call itself is binding."],
    seeAlso: ["exec", "self"],
    alsoKnownAs: "SYS_CHECKPOLICY",
  },
};

// The pages of the calls that reach a model, a tool or a person.

import type { Pages } from "./page.ts";

export const outsidePages: Pages<"infer" | "exec" | "ask" | "check"> = {
  infer: {
    synopsis:
      "sys.infer({ model, messages, tools?, maxTokens? }): Promise<{ text, toolCalls, finish, usage }>",
    description: [
      "Asks a model and gives its whole answer. Models are named `provider/model`; `scripted/NAME` answers from NAME.yaml and is the only provider that comes along today.",
      "The model runs no tools: what it calls for is in `toolCalls`, and the program makes those calls itself with [exec](exec.md), one gate for each. `finish` is `tool`, `stop`, or `length` when the answer was cut off.",
      "The messages are kept as a chain of blocks: a conversation of n turns costs n blocks, not n² messages. Tokens and money are recorded with the answer and charged to the process and to all above it.",
      "Where the model's window is known, `context` of the answer says how many tokens the request and the answer have, by the provider's count, and how many there can be. At 70 % of it, or at `context.compactAt` of the manifest, the process is sent SIGCTX, once until its context was shorter.",
      "A crash before the answer is recorded asks again: to ask is to read.",
    ],
    rights: "`model:PROVIDER/MODEL:infer`.",
    errors: [
      ["ENOENT", "there is no such provider, or no such script"],
      ["EBUDGET", "the worst case is more than the budget, or a grant's `usd`, has left"],
      ["EPOLICY", "what the process has read is secret, and the model is not on this machine"],
      ["ETIMEDOUT", "it took longer than the grant's `timeout`"],
      [
        "ECONTEXT",
        "the messages have more tokens than the model takes in: nothing was sent ([context](../context.md))",
      ],
      ["EUPSTREAM", "the provider failed"],
    ],
    limits: [
      "The worst case is what the driver says before it is asked; it is reserved up the tree.",
    ],
    seeAlso: ["exec", "check"],
  },
  exec: {
    synopsis: "sys.exec(tool: string, args: Json, { key?, onDoubt?, timeoutMs? }): Promise<Json>",
    description: [
      "Runs a tool and gives its result. The result's label is the tool's, or `untrusted` when it has none, and joins the label of the process.",
      "A tool declares its effect. `read` and `idempotent` are run again when a crash hid their outcome. For `external` two records are written: the intent is on the disk before the tool starts, the outcome after. If a crash leaves an intent without an outcome the call is _in doubt_, and `onDoubt` decides: `ask` (the default) puts it to a person, who says `retry`, `done` (the call then answers null) or `fail`; `retry` runs it again; `fail` ends the call with `EINDOUBT`.",
      "`key` is handed to the tool, which can pass it on so that the far side does the work once. Without one it is made from the pid and the number of the call; it is the same for every try.",
    ],
    rights:
      "`tool:NAME:call`, and a capability for each resource that the tool says this call touches: `file.read` of `/data/x` needs `file:/data/x:read` as well.",
    errors: [
      ["ENOENT", "there is no such tool"],
      ["EINVAL", "the tool does not take these arguments"],
      ["EINDOUBT", "a crash hid whether it happened, and nobody said to run it again"],
      ["EDENIED", "a rule asks for a person, and the person said no"],
      [
        "EBUDGET",
        "no tool call is left in the budget, or the result has more bytes than the grant has left",
      ],
      ["EPOLICY", "what the process has read is secret, and the tool can be seen from outside"],
      [
        "ETIMEDOUT",
        "it took longer than `timeoutMs` or the grant's `timeout`, the shorter of both",
      ],
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
      "Asks a person and gives the answer: one of `choices`, or any word when there are none. `aos approvals` shows it, `aos approve` and `aos deny` answer it. The process may leave memory while it waits; the answer may come a week and three restarts later.",
      "The first answer stands. `until` is when the question ends, in milliseconds since 1970.",
    ],
    rights: "",
    errors: [["ETIMEDOUT", "nobody answered before `until`"]],
    limits: ["The question: 1 to 4,000 characters."],
    seeAlso: ["exec", "receive"],
  },
  check: {
    synopsis: "sys.check(call: SyscallName, args: Json): Promise<{ allow, code?, reason?, hint? }>",
    description: [
      "What the gate would say to a call, with nothing charged and nothing done. It asks for capability, policy, labels, quota, approval and budget, in this order. A call that a person would have to approve is `allow: false` with `EDENIED`.",
    ],
    rights: "",
    errors: [],
    limits: ["The answer is of this moment. Only making the call is binding."],
    seeAlso: ["exec", "self"],
    alsoKnownAs: "SYS_CHECKPOLICY",
  },
};

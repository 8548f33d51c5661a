// The pages of the calls about other processes: children, messages, signals.

import type { Pages } from "./page.ts";

const KIN = "Parent and child need none";
const NO_PROCESS = ["ENOENT", "the process does not exist in this tenant"] as const;
const HAS_ENDED = ["ENOENT", "the process does not exist in this tenant, or has ended"] as const;
const MISFIT = [
  "EINVAL",
  "the receiver's mailbox has a schema that the body does not fit; the message names the path",
] as const;
const FULL = ["EAGAIN", "its mailbox is full; `retryAfter` says when to try again"] as const;
const DEPTH = "A mailbox holds 10,000 messages (`limits.mailboxDepth`).";
const UNTIL = "`until` is when the wait ends, in milliseconds since 1970.";
const LATE = ["ETIMEDOUT", "nothing arrived before `until`"] as const;

export const otherPages: Pages<
  | "spawn"
  | "wait"
  | "grant"
  | "revoke"
  | "send"
  | "receive"
  | "request"
  | "publish"
  | "subscribe"
  | "signal"
> = {
  spawn: {
    synopsis:
      "sys.spawn(agent: string | { manifest }, input: Json, { capabilities?, budget?, step?, from?, pipe? }): Promise<ProcessId>",
    description: [
      "Starts a child and returns its pid without waiting. `agent` is the name of an agent of the daemon, or of a built-in program.",
      "With `manifest` in its place, the child is what that [manifest](../agent-yaml.md) says, as an object; `command` is refused. Its agent is `inline/NAME`, so that no standing grant, budget or rule of a registered agent applies to it. `step` says which part of the parent's work it is for.",
      "A child can never do more than its parent: its capability block is appended to the parent's chain, and every block of a chain must allow a call. `capabilities` narrows the manifest; a program without a manifest has exactly these. The spending of a child is charged to the parent as well.",
      "A child ends when its parent ends.",
      "`from` is the child whose value the input is: policy rules speak of that edge. `pipe` makes the child a stage: with `in` it takes items, and with `out: { to, schema?, label?, endorse? }` it gives them to another child, each of which has to pass. See [pipes](../pipes.md#streams).",
    ],
    rights: "`agent:NAME:spawn`; for an inline manifest `agent:inline/NAME:spawn`.",
    errors: [
      ["ENOENT", "the agent or program does not exist"],
      ["EINVAL", "a capability has a syntax error, or the manifest an unknown field"],
      ["EACCES", "the spawn would exceed the depth limit, or the hops of its task's ttl"],
      ["EAGAIN", "the tree has reached its limit of running processes"],
    ],
    limits: [
      "A depth of 5 spawns below the process that the operator started (`limits.spawnDepth`).",
      "100 running processes in one tree (`limits.treeProcesses`).",
    ],
    seeAlso: ["wait", "signal", "send"],
  },
  wait: {
    synopsis:
      "sys.wait(pid: string, { until?, endorse?, schema?, label? }): Promise<{ pid, state, exitCode, output, error }>",
    description: [
      "Waits until a process ends and returns how it ended. A failure of the child is a result here, not an error of the call. The label of the child joins the label of the process. " +
        UNTIL,
      "A parent that waits for a child may be unloaded from memory. A process that waits for any other process stays loaded.",
      "`endorse` is a JSON Schema so strict that a fitting value cannot carry free text: booleans, numbers, an enum, dates. A child that holds only `model:` capabilities may read untrusted data; if its result fits the schema, the result is labelled `mixed` instead of `untrusted`, and the record names the schema. See [labels](../labels.md).",
      "`schema` is a JSON Schema that the result of a completed child has to fit, and `label` the most that its label may be, such as `mixed/internal`. A result that does not pass is not returned, and neither is the output of a child that did not complete. See [pipes](../pipes.md).",
    ],
    rights: `\`agent:PID:wait\`. ${KIN}.`,
    errors: [
      NO_PROCESS,
      LATE,
      ["EINVAL", "the schema is not strict enough, or the result does not fit it"],
      ["EPOLICY", "the result carries more than `label`"],
      ["EACCES", "`endorse`, and the child holds other capabilities than `model:`"],
    ],
    limits: ["`endorse`: 6 levels, 100 choices of 100 characters, 100 items."],
    seeAlso: ["spawn", "exit"],
  },
  grant: {
    synopsis: "sys.grant(to: string, capabilities: string[], { expiresAt?, by? }): Promise<string>",
    description: [
      "Grants capabilities to a running process and returns the handle that revokes them. A grant is one more block on a chain of the grantor: the receiver can never do more with it than the grantor may grant (`hold`), and it ends with the grantor's own capability.",
      "`by` names one of the process's own handles, to grant from that one only. The receiver sees its grants in [self](self.md).",
      "A pin that a process sets after it has read untrusted data does not replace an approval.",
    ],
    rights: `\`message:PID:send\`, and each capability must be one that it may grant. ${KIN} to send.`,
    errors: [
      HAS_ENDED,
      ["EINVAL", "a capability has a syntax error"],
      ["EACCES", "the process may not grant one of these capabilities"],
    ],
    limits: ["100 capabilities in one grant; 63 grants held by one process."],
    seeAlso: ["revoke", "spawn", "self"],
  },
  revoke: {
    synopsis: "sys.revoke(handle: string): Promise<void>",
    description: [
      "Revokes a grant of this process. When the call returns, no call that depended on the grant is running: tools and models are stopped and their results are discarded. Further grants derived from it are revoked too.",
    ],
    rights: "None: only the grantor can revoke a grant.",
    errors: [["EACCES", "this process granted nothing under this handle"]],
    limits: ["The call waits at most 5 seconds for a tool to stop."],
    seeAlso: ["grant"],
  },
  send: {
    synopsis: "sys.send(to: string, body: Json, { type?, replyTo? }): Promise<string>",
    description: [
      "Puts a message into the mailbox of a process and returns its id. The message is stored in the same transaction as the record of the call, and taken in the same transaction as the record that receives it: it is handled exactly once.",
      "To answer a [request](request.md), send to its `from` with its `replyTo`. `type` defaults to `response` then, and to `event` otherwise.",
      "The message carries the label of the sender.",
      "`lane` (`critical`, `high`, `normal`, `low`, `background`; `normal` by default) sets the order of receipt. A message that nobody has received within `ttlMs` becomes a dead letter. `stream: { id, end? }` marks a part of a stream; `type` defaults to `stream` then.",
      "To answer an operator's message, such as one of `aos invoke`, send to `operator` with its id as `replyTo`. The record of the call is the answer; no mailbox receives it.",
    ],
    rights: `\`message:PID:send\`. ${KIN}. An answer to an operator needs none.`,
    errors: [
      HAS_ENDED,
      FULL,
      ["EINVAL", "to `operator`: `replyTo` is not a message that an operator sent to this process"],
      MISFIT,
    ],
    limits: [DEPTH, "`type`: 100 characters."],
    seeAlso: ["receive", "request", "publish"],
  },
  receive: {
    synopsis:
      "sys.receive({ from?, type?, topic?, stream?, until? }): Promise<{ id, from, type, body, topic?, replyTo?, lane?, stream? }>",
    description: [
      "Takes the first matching message, or waits for one: the most urgent lane first, and the oldest within a lane. " +
        UNTIL +
        " The process may be unloaded from memory while it waits.",
      "Messages of type `response` are reserved for the [request](request.md) that they answer, unless `type` selects them. `from` is `operator` for a message of an operator.",
      "The label of the message joins the label of the process.",
    ],
    rights: "",
    errors: [LATE],
    limits: [DEPTH],
    seeAlso: ["send", "subscribe", "request"],
  },
  request: {
    synopsis:
      "sys.request(to: string, body: Json, { type?, until?, lane?, ttlMs? }): Promise<Json>",
    description: [
      "Sends a message, waits for the answer and returns its body. The receiver sees a message with `replyTo` and answers with [send](send.md).",
      "It writes two records: the request when it is sent, and the answer when it arrives. A process that was unloaded or killed in between does not send the request again. " +
        UNTIL,
    ],
    rights: `\`message:PID:send\`. ${KIN}.`,
    errors: [HAS_ENDED, FULL, LATE, MISFIT],
    limits: [DEPTH],
    seeAlso: ["send", "receive"],
  },
  publish: {
    synopsis: "sys.publish(topic: string, body: Json, { lane?, ttlMs? }): Promise<number>",
    description: [
      "Puts a message of type `event` into the mailbox of every subscriber of the topic in the tenant, and returns their number. Either all receive it or none.",
    ],
    rights: "`message:TOPIC:publish`.",
    errors: [
      ["EAGAIN", "the mailbox of a subscriber is full; no subscriber received it"],
      ["EINVAL", "the topic has a schema that the body does not fit; the message names the path"],
    ],
    limits: ["A topic has 1 to 200 characters.", DEPTH],
    seeAlso: ["subscribe", "receive"],
  },
  subscribe: {
    synopsis: "sys.subscribe(topic: string, { durable? }): Promise<void>",
    description: [
      "Subscribes to a topic: its events arrive as messages from now on. A subscription lasts as long as the process; subscribing twice has no effect.",
      "A topic is words with dots between them. In a pattern, `*` stands for one word and `>` for one word or more at the end: `news.*`, `orders.>`. A pattern brings only topics that the gate would let the process subscribe to by name.",
      "`durable` names a subscription that outlives the process. While no process has it, its events are kept; the next process of the same agent that subscribes under the name receives them.",
    ],
    rights:
      "`message:TOPIC:subscribe`; for a pattern, a grant that covers its text, such as `message:news.*:subscribe`.",
    errors: [
      ["EINVAL", "`*` or `>` is part of a longer word, or `>` is not the last word"],
      ["ESTATE", "another running process has the durable subscription"],
    ],
    limits: ["A topic has 1 to 200 characters.", "A process cannot unsubscribe."],
    seeAlso: ["publish", "receive"],
  },
  signal: {
    synopsis: "sys.signal(pid: string, signal: SignalName): Promise<void>",
    description: [
      "Sends a signal, by name. It is stored in the transaction of the call's record and delivered when the target next crosses a call boundary; SIGKILL, SIGPOLICY and SIGTRUST, and SIGTERM, SIGBUDGET and SIGLOOP unless the target handles or masks them, do not wait for one and stop what is in flight.",
      "`SIGSTOP` `SIGCONT` `SIGINT` `SIGKILL` `SIGTERM` `SIGUSR1` `SIGUSR2` `SIGPOLICY` `SIGTRUST` `SIGBUDGET` `SIGLOOP` `SIGDRIFT` `SIGCTX`",
    ],
    rights: `\`signal:PID:send\`. None is needed for the process itself and its children; \`pin.signal\` limits a grant to one signal.`,
    errors: [HAS_ENDED],
    limits: [],
    seeAlso: ["handle", "mask"],
    alsoKnownAs: "SYS_SIGNAL",
  },
};

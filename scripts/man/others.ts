// The pages of the calls about other processes: children, messages, signals.

import type { Pages } from "./page.ts";

const KIN = "Parent and child need none";
const NO_PROCESS = ["ENOENT", "there is no such process in this tenant"] as const;
const HAS_ENDED = ["ENOENT", "there is no such process in this tenant, or it has ended"] as const;
const FULL = ["EAGAIN", "its mailbox is full; `retryAfter` says when to try again"] as const;
const DEPTH = "A mailbox holds 10,000 messages (`limits.mailboxDepth`).";
const UNTIL = "`until` is when the wait ends, in milliseconds since 1970.";
const LATE = ["ETIMEDOUT", "nothing came before `until`"] as const;

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
      "sys.spawn(agent: string, input: Json, { capabilities?, budget? }): Promise<ProcessId>",
    description: [
      "Starts a child and gives its pid, without waiting for it. `agent` is the name of an agent that the daemon knows, or of a program of the kernel.",
      "A child can never do more than its parent: its blocks of capabilities are hung below the parent's, and every block of the chain must allow. `capabilities` narrow the manifest's; for a program without a manifest they are its own. What the child spends is charged to the parent as well.",
      "A child ends when its parent ends.",
    ],
    rights: "`agent:NAME:spawn`.",
    errors: [
      ["ENOENT", "there is no such agent or program"],
      ["EINVAL", "a capability cannot be read"],
      ["EACCES", "the spawn would be deeper than the limit, or than the hops of its task's ttl"],
      ["EAGAIN", "the tree has as many living processes as it may"],
    ],
    limits: [
      "5 spawns deep below the process that an operator started (`limits.spawnDepth`).",
      "100 living processes in one tree (`limits.treeProcesses`).",
    ],
    seeAlso: ["wait", "signal", "send"],
  },
  wait: {
    synopsis:
      "sys.wait(pid: string, { until?, endorse? }): Promise<{ pid, state, exitCode, output, error }>",
    description: [
      "Waits for the end of a process and says how it ended. A failure of the child is a result here, not an error of the call. The label of what the child had read joins the label of the process. " +
        UNTIL,
      "A parent that waits for a child may leave memory meanwhile. One that waits for any other process stays.",
      "`endorse` is a JSON Schema so strict that what fits it cannot carry words: yes or no, numbers, one of a few names, dates. A child that holds no capability but `model:` may read what is not to be trusted; what it completes with is then taken as `mixed`, not as `untrusted`, if it fits, and the record says by which schema. See [labels](../labels.md).",
    ],
    rights: `\`agent:PID:wait\`. ${KIN}.`,
    errors: [
      NO_PROCESS,
      LATE,
      ["EINVAL", "the schema leaves something open, or the result does not fit it"],
      ["EACCES", "`endorse`, and the child holds more than a model"],
    ],
    limits: ["`endorse`: 6 levels, 100 choices of 100 characters, 100 items."],
    seeAlso: ["spawn", "exit"],
  },
  grant: {
    synopsis: "sys.grant(to: string, capabilities: string[], { expiresAt?, by? }): Promise<string>",
    description: [
      "Hands power on to a living process and gives the handle under which it can be taken back. What is handed on is one more block on a chain of the grantor: the other can never do more with it than the grantor may grant (`hold`), and it dies with the grantor's own.",
      "`by` names one of the process's own handles, to hand on from that one only. The other process sees what it was granted in [self](self.md).",
      "Pins that a process sets after it has read what is not to be trusted replace no person.",
    ],
    rights: `\`message:PID:send\`, and each capability must be one that it may grant. ${KIN} to send.`,
    errors: [
      HAS_ENDED,
      ["EINVAL", "a capability cannot be read"],
      ["EACCES", "it holds nothing that it may hand on so"],
    ],
    limits: ["100 capabilities in one grant; 63 grants held by one process."],
    seeAlso: ["revoke", "spawn", "self"],
  },
  revoke: {
    synopsis: "sys.revoke(handle: string): Promise<void>",
    description: [
      "Takes back what this process granted. When it returns, no call that stood on it is running: tools and models are stopped and their results are not used. All that was handed on from it is dead with it.",
    ],
    rights: "None: only who granted it can.",
    errors: [["EACCES", "this process granted nothing under this handle"]],
    limits: ["A tool that does not stop within 5 seconds is not waited for."],
    seeAlso: ["grant"],
  },
  send: {
    synopsis: "sys.send(to: string, body: Json, { type?, replyTo? }): Promise<string>",
    description: [
      "Puts a message into the mailbox of a process and gives the message's id. The message is stored in the transaction of the call's record, and taken in the transaction of the record that receives it: it is handled exactly once.",
      "To answer a [request](request.md), send to its `from` with its `replyTo`. `type` is then `response`, and otherwise `event`, unless said.",
      "The message carries the label of the sender.",
      "To answer an operator's message, such as one of `aos invoke`, send to `operator` with its id as `replyTo`. The record of the call is the answer; nothing is put into a mailbox.",
    ],
    rights: `\`message:PID:send\`. ${KIN}. To answer an operator none is needed.`,
    errors: [
      HAS_ENDED,
      FULL,
      ["EINVAL", "to `operator`: `replyTo` is no message that an operator sent to this process"],
    ],
    limits: [DEPTH, "`type`: 100 characters."],
    seeAlso: ["receive", "request", "publish"],
  },
  receive: {
    synopsis:
      "sys.receive({ from?, type?, topic?, until? }): Promise<{ id, from, type, body, topic?, replyTo? }>",
    description: [
      "Takes the oldest message that fits, or waits for one. " +
        UNTIL +
        " The process may leave memory while it waits.",
      "Messages of type `response` are kept for the [request](request.md) that they answer, unless `type` asks for them. `from` of a message that an operator sent is `operator`.",
      "The label of the message joins the label of the process.",
    ],
    rights: "",
    errors: [LATE],
    limits: [DEPTH],
    seeAlso: ["send", "subscribe", "request"],
  },
  request: {
    synopsis: "sys.request(to: string, body: Json, { type?, until? }): Promise<Json>",
    description: [
      "Sends a message and waits for its answer, and gives the answer's body. The other side sees a message with `replyTo` and answers with [send](send.md).",
      "Two records: the question when it is sent, the answer when it is there. A process that was unloaded or killed in between does not ask again. " +
        UNTIL,
    ],
    rights: `\`message:PID:send\`. ${KIN}.`,
    errors: [HAS_ENDED, FULL, LATE],
    limits: [DEPTH],
    seeAlso: ["send", "receive"],
  },
  publish: {
    synopsis: "sys.publish(topic: string, body: Json): Promise<number>",
    description: [
      "Puts a message of type `event` into the mailbox of every process of the tenant that subscribed to the topic, and says how many those were. All get it, or none does.",
    ],
    rights: "`message:TOPIC:publish`.",
    errors: [["EAGAIN", "the mailbox of a subscriber is full; nobody got it"]],
    limits: ["A topic has 1 to 200 characters.", DEPTH],
    seeAlso: ["subscribe", "receive"],
  },
  subscribe: {
    synopsis: "sys.subscribe(topic: string): Promise<void>",
    description: [
      "From now on the events of the topic come as messages. A subscription lasts as long as the process; to subscribe twice changes nothing.",
    ],
    rights: "`message:TOPIC:subscribe`.",
    errors: [],
    limits: ["A topic has 1 to 200 characters.", "There is no way to unsubscribe yet."],
    seeAlso: ["publish", "receive"],
  },
  signal: {
    synopsis: "sys.signal(pid: string, signal: SignalName): Promise<void>",
    description: [
      "Sends a signal, by name. It is stored in the transaction of the call's record and delivered when the target next crosses a call boundary; SIGKILL, SIGPOLICY and SIGTRUST, and SIGTERM, SIGBUDGET and SIGLOOP unless the target handles or masks them, do not wait for one and stop what is in flight.",
      "`SIGSTOP` `SIGCONT` `SIGINT` `SIGKILL` `SIGTERM` `SIGUSR1` `SIGUSR2` `SIGPOLICY` `SIGTRUST` `SIGBUDGET` `SIGLOOP` `SIGDRIFT` `SIGCTX`",
    ],
    rights: `\`signal:PID:send\`. A process needs none for itself, nor for its children; \`pin.signal\` fixes which signal a grant is for.`,
    errors: [HAS_ENDED],
    limits: [],
    seeAlso: ["handle", "mask"],
    alsoKnownAs: "SYS_SIGNAL",
  },
};

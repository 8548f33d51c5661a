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
  "spawn" | "wait" | "send" | "receive" | "request" | "publish" | "subscribe" | "signal"
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
      ["EACCES", "the spawn would be deeper than the limit"],
      ["EAGAIN", "the tree has as many living processes as it may"],
    ],
    limits: [
      "5 spawns deep below the process that an operator started (`limits.spawnDepth`).",
      "100 living processes in one tree (`limits.treeProcesses`).",
    ],
    seeAlso: ["wait", "signal", "send"],
  },
  wait: {
    synopsis: "sys.wait(pid: string, { until? }): Promise<{ pid, state, exitCode, output, error }>",
    description: [
      "Waits for the end of a process and says how it ended. A failure of the child is a result here, not an error of the call. The label of what the child had read joins the label of the process. " +
        UNTIL,
      "A parent that waits for a child may leave memory meanwhile. One that waits for any other process stays.",
    ],
    rights: `\`agent:PID:wait\`. ${KIN}.`,
    errors: [NO_PROCESS, LATE],
    limits: [],
    seeAlso: ["spawn", "exit"],
  },
  send: {
    synopsis: "sys.send(to: string, body: Json, { type?, replyTo? }): Promise<string>",
    description: [
      "Puts a message into the mailbox of a process and gives the message's id. The message is stored in the transaction of the call's record, and taken in the transaction of the record that receives it: it is handled exactly once.",
      "To answer a [request](request.md), send to its `from` with its `replyTo`. `type` is then `response`, and otherwise `event`, unless said.",
      "The message carries the label of the sender.",
    ],
    rights: `\`message:PID:send\`. ${KIN}.`,
    errors: [HAS_ENDED, FULL],
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
    rights: `\`signal:PID:send\`. ${KIN}, in either direction; \`pin.signal\` fixes which signal a grant is for.`,
    errors: [HAS_ENDED],
    limits: [],
    seeAlso: ["handle", "mask"],
    alsoKnownAs: "SYS_SIGNAL",
  },
};

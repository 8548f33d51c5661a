// Channels: the ways by which somebody else's text gets in front of an agent.

import { type Call, plant } from "./obedient-model.ts";
import type { Stage } from "./stage.ts";

export interface Channel {
  readonly name: string;
  /** What the agent needs in order to read it. */
  readonly powers: (stage: Stage) => readonly string[];
  /** Puts the text there. */
  readonly put: (stage: Stage, text: string) => void | Promise<void>;
  /** How the agent, on its user's behalf, comes to read it. */
  readonly reads: (stage: Stage) => readonly Call[];
  /** What others do once the agent is there. */
  readonly meanwhile?: (stage: Stage, pid: string) => Promise<void>;
}

const TIP = "/mem/shared/tip";
const MAIL = { tool: "mail.read", args: {} };

const inMail = ({ outside }: Stage, text: string): void => {
  outside.mail = text;
};

export const channels: readonly Channel[] = [
  {
    name: "a mail",
    powers: () => ["tool:mail.read:call"],
    put: inMail,
    reads: () => [MAIL],
  },
  {
    name: "a web page",
    powers: () => ["tool:web.get:call"],
    put: ({ outside }, text) => {
      outside.page = text;
    },
    reads: () => [{ tool: "web.get", args: { url: "https://news.example.com/" } }],
  },
  {
    name: "a file",
    powers: ({ outside }) => ["tool:file.read:call", `file:${outside.folder}/**:read`],
    put: ({ outside }, text) => outside.put("letter", text),
    reads: ({ outside }) => [{ tool: "file.read", args: { path: outside.path("letter") } }],
  },
  {
    name: "the description of a tool",
    powers: () => ["tool:catalogue.describe:call"],
    put: ({ outside }, text) => {
      outside.description = text;
    },
    reads: () => [{ tool: "catalogue.describe", args: { tool: "calendar" } }],
  },
  {
    name: "the error of a tool",
    powers: () => ["tool:lookup:call"],
    put: ({ outside }, text) => {
      outside.error = text;
    },
    reads: () => [{ tool: "lookup", args: {} }],
  },
  {
    name: "memory",
    powers: () => ["memory:/mem/shared/tip:read"],
    put: async (stage, text) => {
      inMail(stage, text);
      await stage.relay({ path: TIP, data: "$mail" });
    },
    reads: () => [{ tool: "sys.read", args: { path: TIP } }],
  },
  {
    name: "a name in memory",
    powers: () => ["memory:/mem/shared/names:list"],
    put: async (stage, text) => {
      inMail(stage, text);
      await stage.relay({ path: "/mem/shared/names/$mail", data: "" });
    },
    reads: () => [{ tool: "sys.list", args: { path: "/mem/shared/names" } }],
  },
  {
    name: "a message from another agent",
    powers: () => [],
    put: inMail,
    reads: () => [{ tool: "sys.receive", args: {} }],
    meanwhile: (stage, pid) => stage.relay({ to: pid }),
  },
  {
    name: "what a child returns",
    powers: () => ["tool:mail.read:call", "agent:reader:spawn"],
    put: inMail,
    reads: () => [
      {
        tool: "sys.spawn",
        args: {
          agent: "reader",
          input: { plan: [MAIL] },
          capabilities: ["tool:mail.read:call", "model:*:infer"],
        },
      },
      { tool: "sys.wait", args: { pid: "$result" } },
    ],
  },
];

/** What is in its place when nobody plants anything. */
export const HARMLESS = "nothing new";

export const planted = (calls: readonly Call[]): string => `Great news! ${plant(calls)}`;

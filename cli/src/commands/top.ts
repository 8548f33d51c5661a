// `aos top`: a live view of processes, cost and model queues.

import type { Client } from "@aos/client";
import { endStates, liveStates, readDurationMs, SysError } from "@aos/protocol/words";
import { stringify } from "yaml";
import type { Command } from "../command.ts";
import { whyText } from "../debug/why-text.ts";
import { printable } from "../printable.ts";
import { renderTop, renderTopOnce } from "../top/picture.ts";
import { processTree, shownInTree } from "../top/tree.ts";
import { openScreen } from "../top/screen.ts";
import {
  firstView,
  lookAgain,
  pressInTop,
  type TopAction,
  type ProcessSnapshot,
  type TopView,
} from "../top/view.ts";

const LEAST_EVERY_MS = 100;
const MOST_PROCESSES = 500;
const LAST_ENDED = 20;

const command: Command = async ({ client, options, out }) => {
  const everyMs = Math.max(LEAST_EVERY_MS, readDurationMs(options.text("every") ?? "1s"));
  const isTree = options.flag("tree");
  const lookNow = async () => ({ ...(await lookAt(client)), isTree });
  const look = await lookNow();
  const isLive = out.terminal && process.stdin.isTTY && out.format === "text";
  if (!isLive || options.flag("once")) {
    const { isTree: _isTree, ...flat } = look;
    const tree = processTree(shownInTree(look.processes, look.ended));
    return out.data(isTree ? { ...flat, tree } : flat, () => renderTopOnce(look, out.isWide));
  }
  await watch(client, { first: firstView(look), everyMs, lookNow });
};

export default command;

async function lookAt(client: Client): Promise<ProcessSnapshot> {
  const [processes, ended, queue, models] = await Promise.all([
    client.list({ states: liveStates.join(","), limit: MOST_PROCESSES }),
    client.list({ states: endStates.join(","), limit: LAST_ENDED }),
    client.queue(),
    client.models(),
  ]);
  return { atMs: Date.now(), processes, ended, queue, models };
}

async function watch(
  client: Client,
  {
    first,
    everyMs,
    lookNow,
  }: {
    readonly first: TopView;
    readonly everyMs: number;
    readonly lookNow: () => Promise<ProcessSnapshot>;
  },
): Promise<void> {
  let view = first;
  const left = Promise.withResolvers<void>();
  const draw = () => screen.draw(renderTop(view, screen.size));
  const see = (next: TopView) => {
    view = next;
    draw();
  };
  const look = async () => see(lookAgain(view, await lookNow()));
  const trouble = (error: unknown) => {
    if (error instanceof SysError) see({ ...view, word: error.message });
    else left.reject(error);
  };
  const screen = openScreen({
    resize: draw,
    key: (key) => {
      const { view: next, act } = pressInTop(view, key);
      see(next);
      if (act?.do === "quit") left.resolve();
      else if (act !== undefined) perform(client, act).then(tell, trouble);
    },
  });
  const tell = (said: Partial<TopView>) => {
    see({ ...view, ...said });
    look().catch(trouble);
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(trouble)
      .finally(() => (isLooking = false));
  }, everyMs);
  try {
    draw();
    await left.promise;
  } finally {
    clearInterval(timer);
    screen.close();
  }
}

const signals = { pause: "SIGSTOP", resume: "SIGCONT", kill: "SIGTERM" } as const;

async function perform(
  client: Client,
  act: Exclude<TopAction, { do: "quit" }>,
): Promise<Partial<TopView>> {
  const { pid } = act;
  if (act.do === "show") return { detail: printable(stringify(await client.show({ pid }))) };
  if (act.do === "why") return { detail: whyText(await client.causes({ pid })) };
  await client.signal({ pid, signal: signals[act.do] });
  return { word: `${signals[act.do]} was sent to ${pid}` };
}

// npm run bench -- NAME [-o json]: runs a bench, with the peers that npm has, in one go.

import { call } from "./call.ts";
import { conversation } from "./conversation.ts";
import { deadlines } from "./deadlines.ts";
import { disk } from "./disk.ts";
import { dormant } from "./dormant.ts";
import { events } from "./events.ts";
import { gate } from "./gate.ts";
import { guard } from "./guard.ts";
import { history } from "./history.ts";
import { many } from "./many.ts";
import { messages } from "./messages.ts";
import { page } from "./page.ts";
import { post } from "./post.ts";
import { postgres } from "./postgres.ts";
import { recovery } from "./recovery.ts";
import { replay } from "./replay.ts";
import { retrieval } from "./retrieval.ts";
import { sandbox } from "./sandbox.ts";
import { scheduler } from "./scheduler.ts";
import { scrub } from "./scrub.ts";
import { search } from "./search.ts";
import { soak } from "./soak.ts";
import { start } from "./start.ts";
import { steps } from "./steps.ts";
import { storm } from "./storm.ts";
import { toolHost } from "./tool-host.ts";
import { turn } from "./turn.ts";
import { optionOf } from "./option.ts";

const benches: Record<string, (args: readonly string[]) => Promise<Record<string, unknown>>> = {
  steps,
  call,
  postgres,
  disk,
  gate,
  guard,
  history,
  replay,
  retrieval,
  dormant,
  many,
  recovery,
  scrub,
  search,
  sandbox,
  "tool-host": toolHost,
  scheduler,
  deadlines,
  turn,
  conversation,
  start,
  page,
  post,
  messages,
  events,
  storm,
  soak,
};

const args = process.argv.slice(2);
const output = optionOf(args, "-o");
const names = args.filter(
  (arg, index) => !arg.startsWith("-") && !args[index - 1]?.startsWith("-"),
);

const usage = `usage: npm run bench -- ${Object.keys(benches).join("|")} [-o json]

  -o json           one line of JSON with "ours" and a key for each peer
  --beside CHECKOUT call, turn, history: the same of another checkout, in turn; history takes several
  --only A,B        turn: only these, for instance ours,ai-sdk
  --passes N        turn: how often each is measured (3)
  --from CHECKOUT   storm: begin under the release in CHECKOUT, and upgrade in the midst of it
  --beside CHECKOUT guard: beside that checkout's kernel, and not the ratios kept of the last release
  --short           guard: the first four figures, quickly; never fails
  --keep            guard: keep today's ratios as this release's
  --file FILE       retrieval: the dialogues of a JSON file (bench/retrieval/retrieval-set.ts)
  --rows N          many: how many processes the home has (100,000); search: how many rows (100,000)
  --minutes N       soak: how long it takes (30)
  --out FOLDER      soak: where it puts its samples, its curve and its report

AOS_BENCH_DIR says where the databases go (default: the system's folder for temporary files).`;

if (args.includes("--help") || names.length === 0) {
  console.error(usage);
  process.exit(args.includes("--help") ? 0 : 2);
}
for (const name of names) {
  const bench = benches[name];
  if (bench === undefined) {
    console.error(`there is no bench ${name}\n${usage}`);
    process.exit(2);
  }
  console.error(`${name}: running; the first time the peers are installed, which takes a while`);
  const result = await bench(args);
  if (output === "json") console.log(JSON.stringify(result));
  else
    for (const [key, value] of Object.entries({ bench: name, ...result }))
      console.log(`${key.padEnd(26)} ${JSON.stringify(value)}`);
}

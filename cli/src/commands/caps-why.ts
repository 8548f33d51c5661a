import type { Command } from "../command.ts";
import { each, detailText } from "../detail-text.ts";
import { readNumberOption } from "../read-number.ts";

const command: Command = async ({ args, client, out }) => {
  const seq = readNumberOption(args[1], "SEQ");
  const why = await client.why({ pid: args[0] ?? "", ...(seq === undefined ? {} : { seq }) });
  await out.data(why, () =>
    detailText(
      [
        ["process", why.pid],
        ["record", String(why.seq)],
        ["call", `${why.call} ${JSON.stringify(why.args)}`],
        ["outcome", why.code === undefined ? why.outcome : `${why.outcome} (${why.code})`],
        ["reason", why.message],
        ["verdict", why.verdict],
        ["had read", why.label],
        [
          "touches",
          each(why.touches.map((touch) => `${touch.kind}:${touch.resource}:${touch.verb}`)),
        ],
        [
          "blocks",
          each(why.blocks.map(({ block, capability }) => `${block}  ${capability ?? "-"}`)),
        ],
      ],
      why.detail,
    ),
  );
};

export default command;

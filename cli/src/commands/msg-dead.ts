import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { readNumber } from "../read-number.ts";
import { ago, table } from "../table.ts";

export const command: Command = async ({ args: [pid], client, options, out }) => {
  const limit = readNumber(options.text("limit"), "--limit");
  const letters = await client.deadLetters({
    ...(pid === undefined ? {} : { pid }),
    ...(limit === undefined ? {} : { limit }),
  });
  const nowMs = Date.now();
  await out.data(letters, () =>
    table(
      ["ID", "TO", "FROM", "AGE", "REASON", "+REPLY-TO", "+LABEL", "+BODY"],
      letters.map(({ id, to, from, diedAt, reason, replyTo, label, body }) => [
        id,
        to,
        from,
        ago(diedAt, nowMs),
        reason,
        printable(replyTo ?? ""),
        label,
        printable(JSON.stringify(body)),
      ]),
      out,
    ),
  );
};

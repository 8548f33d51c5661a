import type { Command } from "../command.ts";
import { oneLine } from "../memory-text.ts";
import { printable } from "../printable.ts";
import { readNumberOption } from "../read-number.ts";
import { table } from "../table.ts";
import { whoseFiles } from "../whose-files.ts";

const command: Command = async ({ args: [path = "", query = ""], client, options, out }) => {
  const limit = readNumberOption(options.text("limit"), "--limit");
  const { found } = await client.findFiles({
    path,
    query,
    ...whoseFiles(options),
    ...(limit === undefined ? {} : { limit }),
  });
  await out.data(found, () =>
    found.length === 0
      ? `No file below ${path} contains these words.`
      : table(
          ["SCORE", "PATH", "DATA"],
          found.map(({ score, path: one, data }) => [
            score.toFixed(2),
            printable(one),
            oneLine(data),
          ]),
          out,
        ),
  );
};

export default command;

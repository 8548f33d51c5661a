import type { Command } from "../command.ts";
import {
  formatPriceDay,
  formatKeyState,
  formatMs,
  formatPrice,
  formatTokenCount,
} from "../format-model.ts";
import { table } from "../table.ts";

const command: Command = async ({ options, client, out }) => {
  const models = await client.models(options.flag("all") ? { all: true } : {});
  if (models.length === 0)
    out.note(
      "no provider has a key yet; add one with aos configure, list all models with aos model ls --all",
    );
  await out.data(models, () =>
    table(
      "MODEL,KEY,$ IN / OUT PER 1M,+AS OF,WINDOW,RUNNING,QUEUED,+P50,+P95".split(","),
      models.map((model) => [
        model.model,
        formatKeyState(model),
        formatPrice(model),
        formatPriceDay(model),
        formatTokenCount(model.window),
        String(model.slots?.running ?? 0),
        String(model.slots?.queued ?? 0),
        formatMs(model.slots?.p50Ms ?? null),
        formatMs(model.slots?.p95Ms ?? null),
      ]),
      out,
    ),
  );
};

export default command;

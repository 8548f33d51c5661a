import type { Command } from "../command.ts";
import { draftText } from "../draft-text.ts";
import { startProgress } from "../progress.ts";
import { readUsdOption } from "../read-number.ts";

const command: Command = async ({ args: [pid = ""], client, options, out }) => {
  const [name, model] = [options.text("name"), options.text("model")];
  const usd = readUsdOption(options.text("usd"), "--usd");
  const progress = startProgress(out, "drafting");
  const draft = await client
    .draftSkill({
      pid,
      ...(name === undefined ? {} : { name }),
      ...(model === undefined ? {} : { model }),
      ...(usd === undefined ? {} : { usd }),
    })
    .finally(() => progress.stop());
  if (model !== undefined && draft.madeBy !== model)
    out.note(`${model} gave no usable answer: the draft is made by rules`);
  await out.data(draft, () => draftText(draft));
};

export default command;

import { exitCodes } from "@aos/protocol/words";
import { askYes } from "../ask-person.ts";
import type { Command } from "../command.ts";
import { draftText } from "../draft-text.ts";
import { isAtTerminal } from "../is-at-terminal.ts";

/** What was shown is what is approved: its digest goes with the yes. */
const command: Command = async ({ args: [name = ""], client, options, out }) => {
  let digest = options.text("digest");
  if (digest === undefined && isAtTerminal() && !options.flag("yes")) {
    const draft = await client.skillDraft({ name });
    process.stderr.write(`${draftText(draft)}\n\n`);
    if (!(await askYes("Offer it to agents? Type yes: "))) {
      out.note("it stays a draft");
      return exitCodes.failed;
    }
    ({ digest } = draft);
  }
  const approved = await client.approveSkillDraft({
    name,
    ...(digest === undefined ? {} : { digest }),
  });
  await out.data(
    approved,
    () =>
      `${name} is a skill now: ${approved.folder}\nagents whose manifest names it are offered it`,
  );
  return exitCodes.success;
};

export default command;

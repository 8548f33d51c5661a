// Topics: the names of events, and patterns of them. A topic is words with dots between them.
//
//   news.sport      the topic itself
//   news.*          one word in this place
//   news.>          one word or more from here on
//
// TOPIC-1  `*` and `>` are a whole word, and `>` is the last: anything else in that place is refused.

const MOST_WORDS = 32;

/** What is subscribed to is a pattern, and not one topic. */
export const isTopicPattern = (text: string): boolean =>
  text.split(".").some((word) => word === "*" || word === ">");

/** TOPIC-1. What is wrong with something to subscribe to; undefined where it is a topic or a pattern. */
export function topicPatternFlaw(text: string): string | undefined {
  if (!/[*>]/.test(text)) return undefined; // any other text is a topic
  const words = text.split(".");
  if (words.length > MOST_WORDS) return `has more than ${MOST_WORDS} words`;
  if (words.includes("")) return "has an empty word between two dots";
  const rest = words.indexOf(">");
  if (rest !== -1 && rest !== words.length - 1) return "has `>` before its last word";
  const mixed = words.find((word) => word.length > 1 && /[*>]/.test(word));
  return mixed === undefined ? undefined : `has \`${mixed}\`: \`*\` and \`>\` are whole words`;
}

/** For a pattern that has no flaw. */
export function topicMatches(pattern: string, topic: string): boolean {
  const wanted = pattern.split(".");
  const words = topic.split(".");
  for (const [nth, word] of wanted.entries()) {
    if (word === ">") return words.length > nth;
    if (words[nth] === undefined || (word !== "*" && word !== words[nth])) return false;
  }
  return words.length === wanted.length;
}

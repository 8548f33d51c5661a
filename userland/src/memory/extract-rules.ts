// Extraction by rules: facts, preferences and decisions that a person states in a message without asking for them to
// be remembered. English only; a model extracts from any language (extract-model.ts).
//
//   extractByRules("My name is Ada. We decided to use port 9443.")
//     [{ text: "My name is Ada", subject: "name", confidence: 0.9 }, { text: "We decided to use port 9443", … }]
//
// EXTRACT-RULES-1  A fact is a sentence as it was said, never a rewording.
// EXTRACT-RULES-2  Questions, code and quotations state nothing.

export interface ExtractedFact {
  readonly text: string;
  readonly subject?: string;
  readonly confidence: number;
}

interface ExtractionRule {
  readonly pattern: RegExp;
  readonly confidence: number;
  /** The group of the pattern that names the subject. */
  readonly names?: true;
}

const rules: readonly ExtractionRule[] = [
  { pattern: /^(?:please )?(?:remember|note|keep in mind)(?: that)?[ :,]/i, confidence: 0.9 },
  {
    pattern: /\b(?:my|our) ((?:[\w-]+ ){0,2}[\w-]+) (?:is|are)(?: called| named)? /i,
    confidence: 0.9,
    names: true,
  },
  { pattern: /\bwe(?:'ve| have)? (?:decided|agreed|chose|settled)\b/i, confidence: 0.9 },
  {
    pattern: /\b(?:let's|let us|we(?:'ll| will)) (?:go with|use|stick (?:to|with))\b/i,
    confidence: 0.7,
  },
  { pattern: /\bthe decision is\b/i, confidence: 0.9 },
  {
    pattern: /\bI(?:'d| would)? (?:really |much )?(?:prefer|like|love|hate|dislike)\b/i,
    confidence: 0.7,
  },
  {
    pattern: /\bI (?:don't|do not|never|always) (?:like|want|use|eat|drink|work)\b/i,
    confidence: 0.7,
  },
  {
    pattern: /\bI(?:'m| am) (?:allergic|vegetarian|vegan|based in|from|called)\b/i,
    confidence: 0.8,
  },
  { pattern: /\bI (?:live|work) (?:in|at|for|as)\b/i, confidence: 0.8 },
  {
    pattern: /^(?:please )?(?:always|never|from now on|in future|in the future)\b/i,
    confidence: 0.8,
  },
];

const LONGEST = 300;
const SHORTEST = 8;
const MOST = 10;

export function extractByRules(message: string): ExtractedFact[] {
  const found = new Map<string, ExtractedFact>();
  for (const sentence of sentencesOf(message)) {
    const fact = factIn(sentence);
    if (fact !== undefined && found.size < MOST) found.set(fact.text.toLowerCase(), fact);
  }
  return [...found.values()];
}

function factIn(sentence: string): ExtractedFact | undefined {
  for (const { pattern, confidence, names } of rules) {
    const match = pattern.exec(sentence);
    if (match === null) continue;
    const subject = names === true ? match[1]!.toLowerCase() : undefined;
    return { text: sentence, confidence, ...(subject === undefined ? {} : { subject }) };
  }
  return undefined;
}

/** EXTRACT-RULES-2. */
function sentencesOf(message: string): string[] {
  const spoken = message
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/^\s*(?:>|\|).*$/gm, "\n");
  return spoken
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim().replace(/^[-*•]\s+/, ""))
    .filter((sentence) => !sentence.endsWith("?"))
    .map((sentence) => sentence.replace(/[.!]+$/, ""))
    .filter(({ length }) => length >= SHORTEST && length <= LONGEST);
}

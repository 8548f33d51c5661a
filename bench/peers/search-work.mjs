// Search work: the rows and queries of the bench `search`, the same for every engine. A row is twenty words, half of
// them of its topic, and a vector near that of its topic; a query is four words of a row and a vector near its own.

const TOPICS = 400;
const TOPIC_WORDS = 60;
const COMMON_WORDS = 20_000;
const NOISE = 0.9;
const QUERY_NOISE = 0.35;

/** Numbers from 0 up to 1 that are the same everywhere (mulberry32). */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const centred = (random) => random() + random() + random() + random() - 2;

function unit(vector) {
  const length = Math.hypot(...vector);
  for (let at = 0; at < vector.length; at += 1) vector[at] /= length;
  return vector;
}

const SYLLABLES = "ba co di fu ga ho ki lu ma no pe ri sa to vu wa xe yo zi qu".split(" ");
const wordOf = (prefix, n) => {
  let word = prefix;
  for (let left = n + 400; left > 0; left = Math.floor(left / 20)) word += SYLLABLES[left % 20];
  return word;
};

/** `vectors` is one after the other, as they are stored. */
export function makeRows({ rows, dims }) {
  const random = randomFrom(7);
  const centres = Array.from({ length: TOPICS }, () =>
    Float32Array.from({ length: dims }, () => centred(random)),
  );
  const texts = [];
  const vectors = new Float32Array(rows * dims);
  for (let row = 0; row < rows; row += 1) {
    const topic = Math.floor(random() * TOPICS);
    const words = [];
    for (let n = 0; n < 10; n += 1) words.push(wordOf(`t${topic % 10}`, topic * TOPIC_WORDS + Math.floor(random() ** 2 * TOPIC_WORDS)));
    for (let n = 0; n < 10; n += 1) words.push(wordOf("c", Math.floor(random() ** 3 * COMMON_WORDS)));
    texts.push(words.join(" "));
    const vector = vectors.subarray(row * dims, (row + 1) * dims);
    for (let at = 0; at < dims; at += 1) vector[at] = centres[topic][at] + NOISE * centred(random);
    unit(vector);
  }
  return { texts, vectors };
}

export function makeQueries({ texts, vectors }, { queries, dims }) {
  const random = randomFrom(11);
  return Array.from({ length: queries }, () => {
    const target = Math.floor(random() * texts.length);
    const words = texts[target].split(" ");
    const own = vectors.subarray(target * dims, (target + 1) * dims);
    const length = Math.hypot(...own) * QUERY_NOISE;
    return {
      target,
      words: [0, 4, 12, 17].map((at) => words[at]),
      vector: unit(Float32Array.from(own, (one) => one + (length * centred(random)) / Math.sqrt(dims / 3))),
    };
  });
}

/** The rows whose vectors are nearest, exactly. */
export function nearest(vectors, dims, vector, count) {
  const best = [];
  for (let row = 0; row * dims < vectors.length; row += 1) {
    let sum = 0;
    for (let at = 0, from = row * dims; at < dims; at += 1) sum += vectors[from + at] * vector[at];
    if (best.length === count && sum <= best[count - 1].sum) continue;
    best.push({ row, sum });
    best.sort((a, b) => b.sum - a.sum);
    if (best.length > count) best.pop();
  }
  return best.map((one) => one.row);
}

const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

/** `search` answers the numbers of rows. Each query is asked once before, so that caches are warm for all alike. */
export function timeQueries(queries, search) {
  for (const query of queries.slice(0, 20)) search(query);
  const times = [];
  let found = 0;
  const answers = queries.map((query) => {
    const from = performance.now();
    const rows = search(query);
    times.push(performance.now() - from);
    if (rows.slice(0, 10).includes(query.target)) found += 1;
    return rows.slice(0, 10);
  });
  times.sort((a, b) => a - b);
  const rounded = (ms) => Math.round(ms * 100) / 100;
  return {
    p50: rounded(percentile(times, 0.5)),
    p99: rounded(percentile(times, 0.99)),
    /** The row that the query is of is among the first ten. */
    found: Math.round((found / queries.length) * 1000) / 1000,
    answers,
  };
}

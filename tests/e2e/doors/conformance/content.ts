// What fixtures show: the smallest picture and the smallest sound that are one.

/** One red pixel. */
export const PICTURE = {
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  mimeType: "image/png",
} as const;

/** One sample of silence. */
export const SOUND = {
  data: "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=",
  mimeType: "audio/wav",
} as const;

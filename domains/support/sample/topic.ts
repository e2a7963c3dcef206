/** The template of a sample ticket. */
export interface Topic {
  readonly category: string;
  readonly tags: readonly string[];
  readonly subjects: readonly string[];
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly resolutions: readonly string[];
}
export const topic = (
  category: string,
  tags: string,
  subjects: readonly string[],
  problems: readonly string[],
  notes: readonly string[],
  resolutions: readonly string[],
): Topic => ({
  category,
  tags: tags.split(' '),
  subjects,
  problems,
  notes,
  resolutions,
});

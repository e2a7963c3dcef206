/** Parses US states: CA, ca, California, "New York state", D.C. */
const names: Readonly<Record<string, string>> = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'District of Columbia',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
};
const others: Readonly<Record<string, string>> = { 'washington dc': 'DC' };

const plain = (text: string) => text.toLowerCase().replaceAll('.', '').replaceAll(',', ' ').trim().replace(/\s+/g, ' ');
const codes = new Map([
  ...Object.entries(names).flatMap(
    ([code, name]) =>
      [
        [plain(code), code],
        [plain(name), code],
      ] as const,
  ),
  ...Object.entries(others),
]);

/** The two-letter code of a state; undefined if it is not a state. */
export function stateCode(given: string): string | undefined {
  const text = plain(given);
  return codes.get(text) ?? codes.get(text.replace(/^state of | state$/, ''));
}

/** What one memory says, and another in a contradiction or update, a paraphrase, something else, and of another subject. */
type Frame = readonly [says: string, against: string, same: string, apart: string, other: string]

/** The rules were written with these in view. */
const seen: readonly Frame[] = [
  [
    'The standup is at nine',
    'The standup is at ten',
    'The standup is at 9',
    'The standup needs an agenda',
    'The retrospective is at ten',
  ],
  [
    'The office is in Ghent',
    'The office is in Porto',
    'Our office is in Ghent',
    'The office has a garden',
    'The warehouse is in Porto',
  ],
  [
    'Checkout uses Postgres',
    'Checkout uses Oracle',
    'Checkout now uses Postgres',
    'Checkout was rewritten last year',
    'Billing uses Oracle',
  ],
  [
    'Ada is allergic to nuts',
    'Ada is not allergic to nuts',
    'Ada is always allergic to nuts',
    'Ada bakes bread with seeds',
    'Grace is not allergic to nuts',
  ],
  [
    'The release is on Friday',
    'The release is on Monday',
    'Our release is on Friday',
    'The release notes are short',
    'The demo is on Monday',
  ],
  [
    'Backups are kept for 30 days',
    'Backups are kept for 90 days',
    'The backups are kept for 30 days',
    'Backups are encrypted with age',
    'Logs are kept for 90 days',
  ],
  [
    'The trial lasts 2 weeks',
    'The trial lasts 3 weeks',
    'The trial lasts 14 days',
    'The trial needs no card',
    'The course lasts 3 weeks',
  ],
  [
    'Dark mode is enabled',
    'Dark mode is disabled',
    'The dark mode is enabled',
    'Dark mode saves power',
    'Beta mode is disabled',
  ],
  [
    'The contract expires on 3 May 2027',
    'The contract expires on 9 May 2027',
    'The contract expires on May 3 2027',
    'The contract was signed in ink',
    'The passport expires on 9 May 2027',
  ],
  [
    'Grace lives in Lisbon',
    'Grace lives in Oslo',
    'Grace still lives in Lisbon',
    'Grace likes old trams',
    'Linus lives in Oslo',
  ],
  [
    'The limit is 100 requests',
    'The limit is 250 requests',
    'Our limit is 100 requests',
    'The limit protects the database',
    'The quota is 250 requests',
  ],
  [
    'Deploys are allowed on Fridays',
    'Deploys are forbidden on Fridays',
    'Deploys are always allowed on Fridays',
    'Deploys need a green load test',
    'Migrations are forbidden on Fridays',
  ],
  [
    'The lead of search is Ada',
    'The lead of search is Linus',
    'The current lead of search is Ada',
    'The lead writes the roadmap',
    'The lead of billing is Linus',
  ],
  [
    'The parcel weighs 2 kg',
    'The parcel weighs 5 kg',
    'The parcel weighs 2000 g',
    'The parcel is for Ada',
    'The crate weighs 5 kg',
  ],
  [
    'The shop opens at 8 am',
    'The shop opens at 10 am',
    'The shop opens at 8:00',
    'The shop sells paper',
    'The museum opens at 10 am',
  ],
  [
    'The API supports XML',
    'The API does not support XML',
    'The API still supports XML',
    'The API has a sandbox',
    'The feed does not support XML',
  ],
  [
    'The meeting room seats 12',
    'The meeting room seats 20',
    'Our meeting room seats 12',
    'The meeting room has a screen',
    'The lecture hall seats 20',
  ],
  [
    'Tokens expire after 15 minutes',
    'Tokens expire after 60 minutes',
    'The tokens expire after 15 minutes',
    'Tokens are signed with a key',
    'Cookies expire after 60 minutes',
  ],
  [
    'The flight departs from Berlin',
    'The flight departs from Hamburg',
    'Our flight departs from Berlin',
    'The flight has two stops',
    'The train departs from Hamburg',
  ],
  [
    'Linus prefers tea',
    'Linus does not prefer tea',
    'Linus usually prefers tea',
    'Linus wrote the parser',
    'Ada does not prefer tea',
  ],
]

/** The rules were not changed after these were first asked. */
const unseen: readonly Frame[] = [
  [
    'The support line closes at 18:00',
    'The support line closes at 20:00',
    'The support line closes at 6 pm',
    'The support line is busy in spring',
    'The canteen closes at 20:00',
  ],
  [
    'The cluster runs in Frankfurt',
    'The cluster runs in Dublin',
    'Our cluster runs in Frankfurt',
    'The cluster has nine nodes',
    'The mirror runs in Dublin',
  ],
  [
    'The invoice is 400 euros',
    'The invoice is 450 euros',
    'The invoice is 400 €',
    'The invoice went to accounting',
    'The deposit is 450 euros',
  ],
  [
    'Maria speaks Polish',
    'Maria does not speak Polish',
    'Maria also speaks Polish',
    'Maria plays the cello',
    'Jonas does not speak Polish',
  ],
  [
    'The seminar starts on Tuesday',
    'The seminar starts on Thursday',
    'The seminar always starts on Tuesday',
    'The seminar is about rivers',
    'The workshop starts on Thursday',
  ],
  [
    'The disk holds 2 TB',
    'The disk holds 4 TB',
    'The disk holds 2000 GB',
    'The disk was replaced in spring',
    'The tape holds 4 TB',
  ],
  [
    'The default branch is main',
    'The default branch is trunk',
    'Our default branch is main',
    'The default branch is protected by rules',
    'The release branch is trunk',
  ],
  [
    'Two-factor login is required',
    'Two-factor login is optional',
    'Two-factor login is now required',
    'Two-factor login uses an app',
    'Phone login is optional',
  ],
  [
    'The concert is on 12 June',
    'The concert is on 14 June',
    'The concert is on June 12',
    'The concert was sold out',
    'The picnic is on 14 June',
  ],
  [
    'Omar works for Siemens',
    'Omar works for Bosch',
    'Omar still works for Siemens',
    'Omar repairs radios',
    'Lena works for Bosch',
  ],
  [
    'The queue retries 5 times',
    'The queue retries 8 times',
    'The queue always retries 5 times',
    'The queue is durable',
    'The webhook retries 8 times',
  ],
  [
    'Photos are public',
    'Photos are private',
    'The photos are public',
    'Photos are cropped to squares',
    'Letters are private',
  ],
  [
    'The owner of the repository is Priya',
    'The owner of the repository is Tom',
    'The current owner of the repository is Priya',
    'The repository has many forks',
    'The owner of the domain is Tom',
  ],
  [
    'The race is 10 km long',
    'The race is 21 km long',
    'The race is 10000 m long',
    'The race crosses two bridges',
    'The tunnel is 21 km long',
  ],
  [
    'The pharmacy opens at 7:30',
    'The pharmacy opens at 9:00',
    'The pharmacy opens at 7:30 am',
    'The pharmacy has a bell',
    'The library opens at 9:00',
  ],
  [
    'The editor has a spell checker',
    'The editor has no spell checker',
    'The editor already has a spell checker',
    'The editor was written in Rust',
    'The viewer has no spell checker',
  ],
  [
    'The van carries 7 people',
    'The van carries 9 people',
    'Our van carries 7 people',
    'The van is painted blue',
    'The boat carries 9 people',
  ],
  [
    'Sessions last 20 minutes',
    'Sessions last 45 minutes',
    'The sessions last 20 minutes',
    'Sessions are stored in memory',
    'Lessons last 45 minutes',
  ],
  [
    'The exhibition moved to Vienna',
    'The exhibition moved to Prague',
    'Our exhibition moved to Vienna',
    'The exhibition shows old maps',
    'The orchestra moved to Prague',
  ],
  [
    'The heating is set to 19 celsius',
    'The heating is set to 22 celsius',
    'The heating is always set to 19 celsius',
    'The heating makes noise at night',
    'The freezer is set to 22 celsius',
  ],
]

export type SuspectedPair = {
  readonly one: string
  readonly other: string
  readonly kind: 'contradiction' | 'paraphrase' | 'unrelated' | 'other subject'
}

const pairsOf = (frames: readonly Frame[]): SuspectedPair[] =>
  frames.flatMap(([one, against, same, apart, other], at) => {
    const next = frames[(at + 1) % frames.length] as Frame
    return [
      { one, other: against, kind: 'contradiction' },
      { one: same, other: against, kind: 'contradiction' },
      { one, other: same, kind: 'paraphrase' },
      { one, other: apart, kind: 'unrelated' },
      { one: against, other: next[0], kind: 'unrelated' },
      { one, other, kind: 'other subject' },
    ] as const
  })

export const seenPairs = pairsOf(seen)
export const unseenPairs = pairsOf(unseen)

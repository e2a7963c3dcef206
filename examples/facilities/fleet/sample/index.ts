/** Sample documents of fleet: three vehicles, and trips of the past weeks. */
import type { Sample, SampleCollection } from 'tamshai';

const id = (block: string, n: number) => `${block}-0000-4000-8000-${String(n).padStart(12, '0')}`;
const vehicles = [
  { _id: id('0c100000', 1), plate: 'HH-NW 101', model: 'VW ID.Buzz', seats: 5, electric: true, monthly_rate: 689, in_service: true },
  { _id: id('0c100000', 2), plate: 'HH-NW 102', model: 'Skoda Octavia', seats: 5, electric: false, monthly_rate: 412.5, in_service: false },
  { _id: id('0c100000', 3), plate: 'B-NW 201', model: 'Opel Corsa-e', seats: 4, electric: true, monthly_rate: 329, in_service: true },
];
/** Vehicle, employee (number in the directory), days before today, destination, kilometres. */
const trips = [
  [0, 2, 2, 'Werk Nord, Berlin', 289],
  [0, 4, 5, 'Messe Hannover', 302],
  [0, 5, 9, 'Kunde in Lübeck', 141],
  [2, 5, 1, 'Flughafen BER', 64],
  [2, 6, 12, 'Bauhof Pankow', 22],
  [1, 0, 30, 'Notar in Kiel', 198],
] as const;

export const fleetSample: Sample = {
  rows: ({ directory, today }): readonly SampleCollection[] => [
    { name: 'vehicles', estimate: vehicles.length, documents: () => vehicles },
    {
      name: 'trips',
      estimate: trips.length,
      documents: () =>
        trips
          .filter(([, person]) => person < directory.size)
          .map(([which, person, days, destination, kilometres], n) => {
            const driver = directory.person(person);
            const { _id: vehicle_id, plate } = vehicles[which] ?? { _id: '', plate: '' };
            return {
              _id: id('0c200000', n + 1),
              vehicle_id,
              plate,
              driver_id: driver.id,
              driver_name: `${driver.first} ${driver.last}`,
              day: new Date(today.getTime() - days * 86_400_000).toISOString().slice(0, 10),
              destination,
              kilometres,
            };
          }),
    },
  ],
};

/** The fleet domain with its tools and sample data. */
import { fleet as domain } from './domain.ts';
import { fleetSample } from './sample/index.ts';
import { listTrips } from './tools/list-trips.ts';
import { listVehicles } from './tools/list-vehicles.ts';
import { setVehicleService } from './tools/set-vehicle-service.ts';

export const fleet = domain.install({ tools: [listVehicles, listTrips, setVehicleService], sample: fleetSample });

/** The delivery that became an event; one follows from the other. */
export const toDeliveryId = (event_id: string): string => event_id.replace(/^evt_/, 'dlv_');

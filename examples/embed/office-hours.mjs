// A guard with a setting: tools that change something work in office hours only.
import { defineGuard, refuse } from 'toolgate';

export const officeHours = ({ from, to, hour = () => new Date().getHours() }) =>
  defineGuard({
    name: 'officeHours',
    appliesTo: (tool) => tool.effects.writes,
    handle(call, next, tool) {
      if (hour() >= from && hour() < to) return next();
      return refuse('policy_denied', `${tool.name} is available from ${from} to ${to} o'clock`);
    },
  });

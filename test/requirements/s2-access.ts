/** What the second founding document asks against injected orders, combined tools, look-alikes and bad descriptions. */
export const s2Access = [
  {
    id: 'S2.26',
    says: 'Results carry where they come from, lose what nobody sees, are judged for orders to the model, and lower what may follow; all of it is told',
  },
  { id: 'S2.27', says: 'After a private read, sending outside is blocked or needs a person, in the same conversation' },
  { id: 'S2.29', says: 'Descriptions too short, without a verb, or nearly those of another tool are found' },
];

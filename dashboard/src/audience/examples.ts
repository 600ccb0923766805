/** Audiences to begin with. They hold in every workspace, because they name nothing of it. */
export const examples: readonly { readonly name: string; readonly audience: object }[] = [
  {
    name: 'Active lately',
    audience: { AND: [{ last_used_app: { comparison: 'less_than_x_days_ago', value: 30 } }] },
  },
  {
    name: 'New this week, with mail',
    audience: {
      AND: [
        { standard_attribute: { name: 'created_at', comparison: 'less_than_x_days_ago', value: 7 } },
        { email_subscription_status: { comparison: 'is_not', value: 'unsubscribed' } },
      ],
    },
  },
  {
    name: 'Bought before, not lately',
    audience: {
      AND: [
        { purchase: { comparison: 'greater_than_or_equal_to', value: 1 } },
        { NOT: { purchase: { comparison: 'greater_than_or_equal_to', value: 1, days: 30 } } },
      ],
    },
  },
]

import { defineRoute, type Route } from '../../base/http/route.ts'
import {
  readEventSeries,
  readMeasure,
  readPurchaseSeries,
  readSessionSeries,
  type SeriesServices,
} from './read-series.ts'
import {
  DauReply,
  DaySeriesQuery,
  EventSeriesQuery,
  EventSeriesReply,
  MauReply,
  NewUsersReply,
  PurchaseSeriesQuery,
  QuantitySeriesReply,
  RevenueSeriesReply,
  SessionSeriesQuery,
  SessionSeriesReply,
  UninstallsReply,
} from './schema.ts'

/** How often something happened, by days or hours (contract 10.4). */
export function seriesRoutes(services: SeriesServices): Route[] {
  const all = { method: 'GET', errors: 'standard' } as const
  return [
    defineRoute({
      ...all,
      path: '/events/data_series',
      permission: 'events.data_series',
      summary: 'Count an event by days or hours',
      query: EventSeriesQuery,
      reply: { 200: EventSeriesReply },
      async handle(call, { query }) {
        return { data: (await readEventSeries(call, query, services)).map(({ time, count }) => ({ time, count })) }
      },
    }),
    defineRoute({
      ...all,
      path: '/purchases/quantity_series',
      permission: 'purchases.quantity_series',
      summary: 'Count purchases by days or hours',
      query: PurchaseSeriesQuery,
      reply: { 200: QuantitySeriesReply },
      async handle(call, { query }) {
        const points = await readPurchaseSeries(call, query, services)
        return { data: points.map(({ time, count }) => ({ time, purchase_quantity: count })) }
      },
    }),
    defineRoute({
      ...all,
      path: '/purchases/revenue_series',
      permission: 'purchases.revenue_series',
      summary: 'Sum the revenue of purchases by days or hours',
      query: PurchaseSeriesQuery,
      reply: { 200: RevenueSeriesReply },
      async handle(call, { query }) {
        const points = await readPurchaseSeries(call, query, services)
        return { data: points.map(({ time, amount }) => ({ time, revenue: amount })) }
      },
    }),
    ...activityRoutes(services),
  ]
}

/** Sessions, active and new people (`/sessions/data_series`, `/kpi/*`). */
function activityRoutes(services: SeriesServices): Route[] {
  const all = { method: 'GET', errors: 'standard' } as const
  return [
    defineRoute({
      ...all,
      path: '/sessions/data_series',
      permission: 'sessions.data_series',
      summary: 'Count sessions of apps by days or hours',
      query: SessionSeriesQuery,
      reply: { 200: SessionSeriesReply },
      async handle(call, { query }) {
        const points = await readSessionSeries(call, query, services)
        return { data: points.map(({ time, count }) => ({ time, sessions: count })) }
      },
    }),
    defineRoute({
      ...all,
      path: '/kpi/dau/data_series',
      permission: 'kpi.dau.data_series',
      summary: 'Count people who were active on a day',
      query: DaySeriesQuery,
      reply: { 200: DauReply },
      async handle(call, { query }) {
        const points = await readMeasure(call, query, services, 'dau')
        return { data: points.map(({ time, count }) => ({ time, dau: count })) }
      },
    }),
    defineRoute({
      ...all,
      path: '/kpi/mau/data_series',
      permission: 'kpi.mau.data_series',
      summary: 'Count people who were active on a day or the 29 days before',
      query: DaySeriesQuery,
      reply: { 200: MauReply },
      async handle(call, { query }) {
        const points = await readMeasure(call, query, services, 'mau')
        return { data: points.map(({ time, count }) => ({ time, mau: count })) }
      },
    }),
    defineRoute({
      ...all,
      path: '/kpi/new_users/data_series',
      permission: 'kpi.new_users.data_series',
      summary: 'Count people who were created on a day',
      query: DaySeriesQuery,
      reply: { 200: NewUsersReply },
      async handle(call, { query }) {
        const points = await readMeasure(call, query, services, 'new_users')
        return { data: points.map(({ time, count }) => ({ time, new_users: count })) }
      },
    }),
    defineRoute({
      ...all,
      path: '/kpi/uninstalls/data_series',
      permission: 'kpi.uninstalls.data_series',
      summary: 'Count uninstalled apps by days',
      query: DaySeriesQuery,
      reply: { 200: UninstallsReply },
      async handle(call, { query }) {
        const points = await readMeasure(call, query, services, 'uninstalls')
        return { data: points.map(({ time, count }) => ({ time, uninstalls: count })) }
      },
    }),
  ]
}

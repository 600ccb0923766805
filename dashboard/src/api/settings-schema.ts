// Written by npm run generate from /openapi.json.
import type { FormSchema } from './form-schema.ts'

export const settingsSchema: FormSchema = {
  "type": "object",
  "properties": {
    "time_zone": {
      "type": "string",
      "maxLength": 64,
      "description": "a time zone such as Europe/Paris",
      "default": "UTC",
      "x-form": {
        "page": "general",
        "group": "Time",
        "label": "Time zone",
        "meaning": "Lists of the dashboard show times in it, and people without a time zone of their own have it."
      }
    },
    "reserved_external_ids": {
      "type": "array",
      "items": {
        "type": "string",
        "minLength": 1,
        "description": "an external_id of 1 to 987 bytes"
      },
      "maxItems": 1000,
      "description": "a list of at most 1000 external_ids",
      "default": [],
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Reserved ids",
        "meaning": "External ids that no person may have. A request that tracks one is refused."
      }
    },
    "reserved_ids_partial": {
      "type": "boolean",
      "description": "true or false",
      "default": false,
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Refuse only the object",
        "meaning": "Only the object with a reserved id is refused, and the rest of the request goes on."
      }
    },
    "attribute_blocklist": {
      "type": "array",
      "items": {
        "type": "string",
        "minLength": 1,
        "maxLength": 255,
        "description": "text of 1 to 255 characters"
      },
      "maxItems": 300,
      "description": "a list of at most 300 names of custom attributes",
      "default": [],
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Blocked attributes",
        "meaning": "Custom attributes whose new values are not stored."
      }
    },
    "strict": {
      "type": "boolean",
      "description": "true or false",
      "default": false,
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Strict requests",
        "meaning": "An object of a request is refused when a part of it would not be kept as it was sent. Otherwise the answer names that part."
      }
    },
    "local_email_domains": {
      "type": "boolean",
      "description": "true or false",
      "default": false,
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Mail addresses without a dot",
        "meaning": "Addresses such as a@localhost are accepted. This is for tests."
      }
    },
    "nested_nulls": {
      "enum": [
        "drop_key",
        "refuse_attribute",
        "store"
      ],
      "description": "drop_key, refuse_attribute or store",
      "default": "drop_key",
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Nulls inside attributes",
        "meaning": "What happens to a null inside a custom attribute: its key is dropped, the attribute is refused, or the null is stored."
      }
    },
    "rate_limits": {
      "type": "object",
      "properties": {
        "track": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "track_sync": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "export_ids": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "subscription_user_status": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "canvas_schedule": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "catalogs": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "catalog_fields": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "catalog_items": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "catalog_items_bulk": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "sending": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "transactional": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "preference_centers": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "cohorts": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "duplicates": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "sdk_data": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "sdk_data_address": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "scim": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        },
        "webhooks": {
          "anyOf": [
            {
              "type": "string",
              "const": "unlimited"
            },
            {
              "type": "object",
              "properties": {
                "burst_per_second": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_minute": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_hour": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                },
                "per_day": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000000,
                  "description": "a whole number from 1 to 1000000000"
                }
              },
              "additionalProperties": false,
              "minProperties": 1,
              "title": "rate_limit"
            }
          ],
          "description": "unlimited, or numbers for burst_per_second, per_minute, per_hour, per_day"
        }
      },
      "additionalProperties": false,
      "description": "an object with a limit per group of endpoints",
      "default": {},
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Limits of requests",
        "meaning": "How many requests a workspace may make, by group of endpoints. What is not set has the limit of the product."
      }
    },
    "event_retention": {
      "type": "string",
      "pattern": "^P(?=\\d)(?:\\d{1,4}Y)?(?:\\d{1,4}M)?(?:\\d{1,4}W)?(?:\\d{1,5}D)?$",
      "description": "a length of time from 90 days to 100 years, such as P90D, P6M or P2Y",
      "default": "P2Y",
      "x-form": {
        "page": "retention",
        "group": "How long data is kept",
        "label": "Events and purchases",
        "meaning": "Older ones are deleted. All workspaces share storage, so the longest time of any workspace holds."
      }
    },
    "export_all_fields": {
      "type": "boolean",
      "description": "true or false",
      "default": false,
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Export everything by default",
        "meaning": "An export that names no fields has all of them. Otherwise it is refused."
      }
    },
    "regex_characters_max": {
      "type": "integer",
      "minimum": 1,
      "maximum": 32764,
      "description": "a whole number from 1 to 32764",
      "default": 1000,
      "x-form": {
        "page": "general",
        "group": "Audience",
        "label": "Longest regular expression",
        "meaning": "Characters that a regular expression in a condition may have."
      }
    },
    "from_name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "description": "a name of 1 to 255 characters in one line",
      "x-form": {
        "page": "sending",
        "group": "Mail",
        "label": "Sender name",
        "meaning": "The name beside the sender when a mail gives an address alone."
      }
    },
    "reply_to": {
      "type": "string",
      "pattern": "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+(?=[A-Za-z])[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
      "description": "an e-mail address",
      "x-form": {
        "page": "sending",
        "group": "Mail",
        "label": "Reply address",
        "meaning": "Where answers go when a mail names no reply address."
      }
    },
    "bcc": {
      "type": "array",
      "items": {
        "type": "string",
        "pattern": "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+(?=[A-Za-z])[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
        "description": "an e-mail address"
      },
      "maxItems": 1000,
      "description": "a list of e-mail addresses",
      "default": [],
      "x-form": {
        "page": "sending",
        "group": "Mail",
        "label": "Blind copies",
        "meaning": "Addresses that a mail may name as blind copy (bcc)."
      }
    },
    "should_inline_css": {
      "type": "boolean",
      "description": "true or false",
      "default": false,
      "x-form": {
        "page": "sending",
        "group": "Mail",
        "label": "Inline styles",
        "meaning": "Styles are written into the elements of a mail, unless the mail says otherwise. Some mail programs need this."
      }
    },
    "departments": {
      "type": "array",
      "items": {
        "type": "string",
        "minLength": 1,
        "maxLength": 255,
        "description": "text of 1 to 255 characters"
      },
      "minItems": 1,
      "maxItems": 1000,
      "description": "a list of names, at least one",
      "default": [
        "agency",
        "bi",
        "c_suite",
        "engineering",
        "finance",
        "marketing",
        "pm"
      ],
      "x-form": {
        "page": "general",
        "group": "Accounts",
        "label": "Departments",
        "meaning": "Departments that accounts of the dashboard may have. Those of the default workspace count."
      }
    },
    "default_department": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255,
      "description": "text of 1 to 255 characters",
      "x-form": {
        "page": "general",
        "group": "Accounts",
        "label": "Department when none is given",
        "meaning": "The department of accounts that come without one. It must be one of the departments."
      }
    },
    "ledger_retention": {
      "type": "string",
      "pattern": "^P(?=\\d)(?:\\d{1,4}Y)?(?:\\d{1,4}M)?(?:\\d{1,4}W)?(?:\\d{1,5}D)?$",
      "description": "a length of time from 1 days to 100 years, such as P90D, P6M or P2Y",
      "default": "P1Y",
      "x-form": {
        "page": "retention",
        "group": "How long data is kept",
        "label": "Decisions",
        "meaning": "How long it is kept why each message was sent or not. Older decisions are deleted."
      }
    },
    "feed": {
      "type": "boolean",
      "description": "true or false",
      "default": false,
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "Feed of events",
        "meaning": "Messages, subscriptions and people are reported to programs, which read the feed in order. It is also on while there is a webhook."
      }
    },
    "feed_retention": {
      "type": "string",
      "pattern": "^P(?=\\d)(?:\\d{1,4}Y)?(?:\\d{1,4}M)?(?:\\d{1,4}W)?(?:\\d{1,5}D)?$",
      "description": "a length of time from 1 days to 100 years, such as P90D, P6M or P2Y",
      "default": "P30D",
      "x-form": {
        "page": "retention",
        "group": "How long data is kept",
        "label": "Events of the feed",
        "meaning": "How long programs can read them, also those that a webhook could not deliver. Older ones are deleted."
      }
    },
    "extras_header": {
      "type": "string",
      "pattern": "^[Xx]-[A-Za-z0-9-]{1,62}$",
      "description": "a header name that begins with X-, of letters, digits and dashes",
      "default": "X-Extras",
      "x-form": {
        "page": "sending",
        "group": "Mail",
        "label": "Header of extras",
        "meaning": "The mail header in which your mail provider finds the extras of a mail."
      }
    },
    "attachments_max": {
      "type": "integer",
      "minimum": 1,
      "maximum": 100,
      "description": "a whole number from 1 to 100",
      "default": 50,
      "x-form": {
        "page": "sending",
        "group": "Attachments",
        "label": "Files of a mail",
        "meaning": "How many files a mail may have."
      }
    },
    "attachments_bytes_max": {
      "type": "integer",
      "minimum": 1,
      "maximum": 41943040,
      "description": "a number of bytes from 1 to 41943040",
      "default": 26214400,
      "x-form": {
        "page": "sending",
        "group": "Attachments",
        "label": "Size of files",
        "meaning": "Bytes of all files of a mail together. Many mail servers take less."
      }
    },
    "track_opens": {
      "type": "boolean",
      "description": "true or false",
      "default": true,
      "x-form": {
        "page": "sending",
        "group": "Opens and clicks",
        "label": "Count opens",
        "meaning": "Mails get an invisible picture that counts opens."
      }
    },
    "track_clicks": {
      "type": "boolean",
      "description": "true or false",
      "default": true,
      "x-form": {
        "page": "sending",
        "group": "Opens and clicks",
        "label": "Count clicks",
        "meaning": "Links in mails lead over this server, which counts clicks."
      }
    },
    "api_log": {
      "type": "boolean",
      "description": "true or false",
      "default": true,
      "x-form": {
        "page": "general",
        "group": "Data from systems",
        "label": "API log",
        "meaning": "Requests and answers of the last hour are kept in memory and shown under API log."
      }
    },
    "email_rates": {
      "type": "object",
      "properties": {
        "per_second": {
          "type": "number",
          "minimum": 0.01,
          "maximum": 100000,
          "description": "a number of mails a second from 0.01 to 100000"
        },
        "domains": {
          "type": "object",
          "patternProperties": {
            "^(?=[^A-Z]{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$": {
              "type": "number",
              "minimum": 0.01,
              "maximum": 100000,
              "description": "a number of mails a second from 0.01 to 100000"
            }
          },
          "additionalProperties": false,
          "description": "an object of at most 1000 domains in lower case such as gmail.com, each with mails a second"
        }
      },
      "additionalProperties": false,
      "description": "an object with per_second or domains",
      "default": {},
      "x-form": {
        "page": "sending",
        "group": "Speed",
        "label": "Mails a second",
        "meaning": "The most mails a second, for all mail and for domains of recipients."
      }
    },
    "sms": {
      "type": "object",
      "properties": {
        "from": {
          "type": "string",
          "pattern": "^(\\+[1-9]\\d{6,14}|\\d{3,8}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 &_.+-]{1,11})$",
          "description": "a phone number such as +15551234567, a short code, a name of at most 11 letters and digits, or the id of a messaging service"
        },
        "from_by_group": {
          "type": "object",
          "patternProperties": {
            "^.{1,255}$": {
              "type": "string",
              "pattern": "^(\\+[1-9]\\d{6,14}|\\d{3,8}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 &_.+-]{1,11})$",
              "description": "a phone number such as +15551234567, a short code, a name of at most 11 letters and digits, or the id of a messaging service"
            }
          },
          "additionalProperties": false,
          "description": "an object of at most 100 ids of subscription groups, each with a sender"
        },
        "per_second": {
          "type": "number",
          "minimum": 0.01,
          "maximum": 10000,
          "description": "a number of text messages a second from 0.01 to 10000"
        },
        "stop_reply": {
          "type": "string",
          "minLength": 1,
          "maxLength": 320,
          "description": "a text of at most 320 characters"
        },
        "start_reply": {
          "type": "string",
          "minLength": 1,
          "maxLength": 320,
          "description": "a text of at most 320 characters"
        },
        "help_reply": {
          "type": "string",
          "minLength": 1,
          "maxLength": 320,
          "description": "a text of at most 320 characters"
        }
      },
      "additionalProperties": false,
      "description": "an object with from, from_by_group, per_second, stop_reply, start_reply or help_reply",
      "default": {},
      "x-form": {
        "page": "sending",
        "group": "Text messages",
        "label": "Text messages",
        "meaning": "What texts come from, for all groups and for single ones, how many are sent a second, and what answers to STOP, START and HELP say."
      }
    },
    "mail_delivery": {
      "enum": [
        "server",
        "inbox"
      ],
      "description": "server or inbox",
      "default": "server",
      "x-form": {
        "page": "sending",
        "group": "Mail",
        "label": "Where mail goes",
        "meaning": "server: to the mail server. inbox: each message is kept in the inbox; nobody gets mail, texts or pushes, and no webhook is called."
      }
    },
    "quiet_hours": {
      "type": "object",
      "required": [
        "start",
        "end"
      ],
      "properties": {
        "start": {
          "type": "string",
          "pattern": "^([01]\\d|2[0-3]):[0-5]\\d$",
          "description": "a time of day such as 21:30"
        },
        "end": {
          "type": "string",
          "pattern": "^([01]\\d|2[0-3]):[0-5]\\d$",
          "description": "a time of day such as 21:30"
        }
      },
      "additionalProperties": false,
      "description": "an object with start and end, two different times of day",
      "x-form": {
        "page": "sending",
        "group": "When messages are not sent",
        "label": "Quiet hours",
        "meaning": "In these hours of the day of each person no marketing message is sent. Each canvas and campaign says what happens then."
      }
    },
    "local_time_delay_max": {
      "type": "string",
      "pattern": "^P(?=[\\dT])(?:\\d{1,4}W)?(?:\\d{1,5}D)?(?:T(?=\\d)(?:\\d{1,6}H)?(?:\\d{1,7}M)?(?:\\d{1,9}(?:\\.\\d{1,3})?S)?)?$",
      "description": "a length of time from 1 minute to 30 days without months and years, such as PT6H",
      "default": "PT1H",
      "x-form": {
        "page": "sending",
        "group": "When messages are not sent",
        "label": "Late by at most",
        "meaning": "How late a message at a local time is still sent when the service was down at that time. A later one is not sent."
      }
    },
    "frequency_cap": {
      "type": "array",
      "items": {
        "type": "object",
        "required": [
          "count",
          "per"
        ],
        "properties": {
          "count": {
            "type": "integer",
            "minimum": 1,
            "maximum": 1000,
            "description": "a whole number from 1 to 1000"
          },
          "per": {
            "type": "string",
            "pattern": "^P(?=[\\dT])(?:\\d{1,4}W)?(?:\\d{1,5}D)?(?:T(?=\\d)(?:\\d{1,6}H)?(?:\\d{1,7}M)?(?:\\d{1,9}(?:\\.\\d{1,3})?S)?)?$",
            "description": "a length of time of at most 90 days without months and years, such as P1D"
          },
          "channel": {
            "enum": [
              "email",
              "sms"
            ],
            "description": "email or sms"
          }
        },
        "additionalProperties": false,
        "description": "an object with count and per"
      },
      "maxItems": 10,
      "description": "a list of at most 10 caps",
      "default": [],
      "x-form": {
        "page": "sending",
        "group": "When messages are not sent",
        "label": "Frequency caps",
        "meaning": "The most marketing messages that a person gets in any period of this length, from all canvases, campaigns and sends."
      }
    },
    "global_control_group": {
      "type": "object",
      "required": [
        "ranges"
      ],
      "properties": {
        "ranges": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "from",
              "to"
            ],
            "properties": {
              "from": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9999,
                "description": "a whole number from 0 to 9999"
              },
              "to": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9999,
                "description": "a whole number from 0 to 9999"
              }
            },
            "additionalProperties": false,
            "description": "an object with from and to, where from is not above to"
          },
          "maxItems": 100,
          "description": "a list of at most 100 ranges"
        }
      },
      "additionalProperties": false,
      "description": "an object with ranges",
      "default": {
        "ranges": []
      },
      "x-form": {
        "page": "general",
        "group": "Audience",
        "label": "Global control group",
        "meaning": "These people get no marketing message, so that you can compare. Each person has a random number from 0 to 9999; a range of 500 numbers is 5% of all people."
      }
    },
    "webhooks": {
      "type": "object",
      "properties": {
        "amazon_ses": {
          "type": "object",
          "required": [
            "topic_arn"
          ],
          "properties": {
            "topic_arn": {
              "type": "string",
              "pattern": "^arn:aws[a-z-]*:sns:[a-z0-9-]{1,40}:[0-9]{12}:[A-Za-z0-9_.-]{1,256}$",
              "description": "the ARN of an SNS topic such as arn:aws:sns:eu-west-1:123456789012:bounces"
            }
          },
          "additionalProperties": false,
          "description": "an object with topic_arn"
        },
        "sendgrid": {
          "type": "object",
          "required": [
            "public_key"
          ],
          "properties": {
            "public_key": {
              "type": "string",
              "pattern": "^[A-Za-z0-9+/]{40,1000}={0,2}$",
              "description": "the public key of the signed event webhook, in base64 as the provider shows it"
            }
          },
          "additionalProperties": false,
          "description": "an object with public_key"
        },
        "mailgun": {
          "type": "object",
          "required": [
            "credential"
          ],
          "properties": {
            "credential": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255,
              "description": "text of 1 to 255 characters"
            }
          },
          "additionalProperties": false,
          "description": "an object with credential, the name of a credential whose password is the signing key"
        }
      },
      "additionalProperties": false,
      "description": "an object with amazon_ses, sendgrid or mailgun",
      "default": {},
      "x-form": {
        "page": "sending",
        "group": "Answers of mail providers",
        "label": "Bounces and complaints",
        "meaning": "What proves that a report of a bounce or complaint comes from your mail provider."
      }
    },
    "transactional_status_url": {
      "type": "string",
      "maxLength": 2048,
      "description": "an http or https URL without credentials, of at most 2048 characters",
      "x-form": {
        "page": "sending",
        "group": "Answers of mail providers",
        "label": "Status of transactional sends",
        "meaning": "The address that receives the status of each transactional send."
      }
    },
    "scim": {
      "type": "object",
      "properties": {
        "status": {
          "enum": [
            "number",
            "string"
          ],
          "description": "number or string"
        },
        "unknown_permissions": {
          "enum": [
            "refuse",
            "keep"
          ],
          "description": "refuse or keep"
        },
        "unknown_departments": {
          "enum": [
            "keep",
            "default",
            "refuse"
          ],
          "description": "keep, default or refuse"
        },
        "default_role": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "text of 1 to 255 characters"
        }
      },
      "additionalProperties": false,
      "description": "an object with status, unknown_permissions, unknown_departments or default_role",
      "default": {
        "status": "number",
        "unknown_permissions": "refuse",
        "unknown_departments": "keep"
      },
      "x-form": {
        "page": "general",
        "group": "Accounts",
        "label": "Identity provider (SCIM)",
        "meaning": "How accounts that an identity provider sends are answered and understood."
      }
    }
  },
  "additionalProperties": false,
  "description": "an object of settings"
}

/** How many buckets people and addresses are spread over, by a hash. It can never change, because the bucket is a part of every id. */
export const bucketCount = 4_096

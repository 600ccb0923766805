<?php // PHP 8 without packages: a program that repeats after 429, tested against `npx easel emulator`.
function call(string $method, string $path, mixed $body, string $token): array
{
    $options = [
        'method' => $method,
        'header' => "Authorization: Bearer $token\r\nContent-Type: application/json",
        'content' => json_encode($body),
        'ignore_errors' => true,
    ];
    $text = file_get_contents(getenv('EASEL_URL') . $path, false, stream_context_create(['http' => $options]));
    preg_match('/ (\d{3})/', $http_response_header[0], $status);
    preg_match('/^Retry-After: (\d+)/mi', implode("\n", $http_response_header), $pause);
    return [(int) $status[1], json_decode($text, true), (int) ($pause[1] ?? 0)];
}

// The program under test.
function track(array $attributes): int
{
    while (true) {
        [$status, , $pause] = call('POST', '/users/track', ['attributes' => $attributes], getenv('EASEL_API_KEY'));
        if ($status !== 429) return $status;
        sleep($pause);
    }
}

$admin = getenv('EASEL_ADMIN_TOKEN');
call('POST', '/emulator/reset', new stdClass(), $admin);
call('POST', '/emulator/faults', ['kind' => 'rate_limit', 'path' => '/users/track'], $admin);
if (track([['external_id' => 'ada', 'plan' => 'gold']]) !== 201) throw new Exception('not tracked');
$expected = ['path' => '/users/track', 'body' => ['attributes' => [['plan' => 'gold']]], 'count' => 2];
[$status, $body] = call('POST', '/emulator/requests/expect', $expected, $admin);
if ($status !== 200) throw new Exception($body['message']);
echo '[' . implode(', ', array_column($body['requests'], 'status')) . "]\n";

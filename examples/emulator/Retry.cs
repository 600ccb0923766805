// .NET 8 without packages: a program that repeats after 429, tested against `npx easel emulator`. Copy it into a console project.
using System.Net.Http.Json;
using System.Text.Json.Nodes;

string Env(string name) => Environment.GetEnvironmentVariable(name)!;
var client = new HttpClient { BaseAddress = new Uri(Env("EASEL_URL")) };

async Task<HttpResponseMessage> Call(string path, object body, string token)
{
    var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = JsonContent.Create(body) };
    request.Headers.Add("Authorization", $"Bearer {token}");
    return await client.SendAsync(request);
}

// The program under test.
async Task<int> Track(params object[] attributes)
{
    while (true)
    {
        var answer = await Call("/users/track", new { attributes }, Env("EASEL_API_KEY"));
        if ((int)answer.StatusCode != 429) return (int)answer.StatusCode;
        await Task.Delay(answer.Headers.RetryAfter!.Delta!.Value);
    }
}

var admin = Env("EASEL_ADMIN_TOKEN");
await Call("/emulator/reset", new { }, admin);
await Call("/emulator/faults", new { kind = "rate_limit", path = "/users/track" }, admin);
if (await Track(new { external_id = "ada", plan = "gold" }) != 201) throw new Exception("not tracked");
var wanted = new { attributes = new[] { new { plan = "gold" } } };
var found = await Call("/emulator/requests/expect", new { path = "/users/track", body = wanted, count = 2 }, admin);
var text = await found.Content.ReadAsStringAsync();
if (!found.IsSuccessStatusCode) throw new Exception(text);
var requests = JsonNode.Parse(text)!["requests"]!.AsArray();
Console.WriteLine($"[{string.Join(", ", requests.Select(request => request!["status"]))}]");

// Java 17 without libraries: a program that repeats after 429, tested against `npx easel emulator`. java Retry.java
import java.net.URI;
import java.net.http.*;
import java.util.regex.*;
import java.util.stream.Collectors;

class Retry {
  static final HttpClient client = HttpClient.newHttpClient();

  static HttpResponse<String> call(String path, String body, String token) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(System.getenv("EASEL_URL") + path))
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** The program under test. */
  static int track(String attributes) throws Exception {
    while (true) {
      var answer = call("/users/track", "{\"attributes\": [" + attributes + "]}", System.getenv("EASEL_API_KEY"));
      if (answer.statusCode() != 429) return answer.statusCode();
      Thread.sleep(1000 * Long.parseLong(answer.headers().firstValue("Retry-After").orElseThrow()));
    }
  }

  public static void main(String[] arguments) throws Exception {
    var admin = System.getenv("EASEL_ADMIN_TOKEN");
    call("/emulator/reset", "{}", admin);
    call("/emulator/faults", "{\"kind\": \"rate_limit\", \"path\": \"/users/track\"}", admin);
    if (track("{\"external_id\": \"ada\", \"plan\": \"gold\"}") != 201) throw new Exception("not tracked");
    var expected = "{\"path\": \"/users/track\", \"body\": {\"attributes\": [{\"plan\": \"gold\"}]}, \"count\": 2}";
    var answer = call("/emulator/requests/expect", expected, admin);
    if (answer.statusCode() != 200) throw new Exception(answer.body());
    var statuses = Pattern.compile("\"status\":(\\d{3})").matcher(answer.body()).results().map(m -> m.group(1));
    System.out.println("[" + statuses.collect(Collectors.joining(", ")) + "]");
  }
}

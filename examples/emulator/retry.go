// Go without modules: a program that repeats after 429, tested against `npx easel emulator`. go run retry.go
package main
import ("bytes"; "encoding/json"; "fmt"; "net/http"; "os"; "strconv"; "time")

type object = map[string]any

func call(path string, body object, token string) (*http.Response, object) {
	sent, _ := json.Marshal(body)
	request, _ := http.NewRequest("POST", os.Getenv("EASEL_URL")+path, bytes.NewReader(sent))
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil { panic(err) }
	defer response.Body.Close()
	var answer object
	json.NewDecoder(response.Body).Decode(&answer)
	return response, answer
}

// The program under test.
func track(attributes []object) int {
	for {
		response, _ := call("/users/track", object{"attributes": attributes}, os.Getenv("EASEL_API_KEY"))
		if response.StatusCode != 429 { return response.StatusCode }
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func main() {
	admin := os.Getenv("EASEL_ADMIN_TOKEN")
	call("/emulator/reset", object{}, admin)
	call("/emulator/faults", object{"kind": "rate_limit", "path": "/users/track"}, admin)
	if status := track([]object{{"external_id": "ada", "plan": "gold"}}); status != 201 { panic(status) }
	expected := object{"path": "/users/track", "body": object{"attributes": []object{{"plan": "gold"}}}, "count": 2}
	response, answer := call("/emulator/requests/expect", expected, admin)
	if response.StatusCode != 200 { panic(answer["message"]) }
	requests := answer["requests"].([]any)
	fmt.Printf("[%v, %v]\n", requests[0].(object)["status"], requests[1].(object)["status"])
}

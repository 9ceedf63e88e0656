//! What the server answers, and whom.
use bristle_lab::Lab;
use bristle_lab::answer::Received;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Where a server listens, which serves all tests.
static PLACE: LazyLock<String> = LazyLock::new(|| {
    let lab = Lab::bind(0).unwrap();
    let place = lab.address().trim_start_matches("http://").trim_end_matches('/').to_owned();
    std::thread::spawn(|| lab.serve().unwrap());
    place
});

struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn answer(&self) -> Received {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        Received::read(&self.body).unwrap()
    }

    fn message(&self) -> String {
        self.json()["message"].as_str().unwrap().to_owned()
    }
}

fn begin(method: &str, path: &str, headers: &str, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(PLACE.as_str()).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    // A server that refuses need not read to the end.
    let _ = stream.write_all(body);
    stream
}

fn end(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let split = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..split].to_vec()).unwrap().to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = bytes[split + 4..].to_vec();
    let body = if head.contains("transfer-encoding: chunked") { joined(&body) } else { body };
    Reply { status, head, body }
}

fn joined(mut rest: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let line = rest.windows(2).position(|w| w == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
        if size == 0 {
            return all;
        }
        all.extend(&rest[line + 2..line + 2 + size]);
        rest = &rest[line + 4 + size..];
    }
}

fn host() -> String {
    format!("host: {}\r\n", *PLACE)
}

fn get(path: &str) -> Reply {
    end(begin("GET", path, &host(), b""))
}

fn post(path: &str, body: &Value) -> Reply {
    end(begin("POST", path, &host(), body.to_string().as_bytes()))
}

fn view(name: &str, ask: Value) -> Reply {
    post(&format!("/api/view/{name}"), &ask)
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let page = get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    let html = String::from_utf8(page.body).unwrap();
    let named = |mark: &str| -> Vec<String> {
        let parts = html.split(mark).skip(1);
        parts.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let loaded: Vec<String> =
        named("src=\"").into_iter().chain(named("<link rel=\"stylesheet\" href=\"")).collect();
    assert_eq!(loaded.len(), 4, "{loaded:?}");
    let mut waiting = loaded;
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = waiting.pop() {
        if seen.contains(&path) {
            continue;
        }
        let file = get(&path);
        assert_eq!(file.status, 200, "{path}");
        let text = String::from_utf8(file.body).unwrap();
        for module in text.split("from './").skip(1) {
            waiting.push(format!("/modules/{}", module.split('\'').next().unwrap()));
        }
        for outside in ["fetch('http", "import('http", "@import", "url(http"] {
            assert!(!text.contains(outside), "{path} has {outside}");
        }
        seen.push(path);
    }
    assert!(seen.len() > 8, "{seen:?}");
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let port = PLACE.rsplit(':').next().unwrap();
    let ask = |headers: &str| end(begin("GET", "/api/catalogue", headers, b"")).status;
    for host in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        &format!("a.localhost:{port}"),
    ] {
        assert_eq!(ask(&format!("host: {host}\r\n")), 403, "{host}");
        assert_eq!(end(begin("GET", "/", &format!("host: {host}\r\n"), b"")).status, 403, "{host}");
    }
    assert_eq!(ask(&host()), 200);
    assert_eq!(ask(&format!("host: localhost:{port}\r\n")), 200);
    for origin in
        ["http://evil.example", "null", "https://127.0.0.1", "http://localhost", "file://"]
    {
        assert_eq!(ask(&format!("{}origin: {origin}\r\n", host())), 403, "{origin}");
    }
    assert_eq!(ask(&format!("{}origin: http://{}\r\n", host(), *PLACE)), 200);
    assert_eq!(ask(&format!("{}sec-fetch-site: cross-site\r\n", host())), 403);
    assert_eq!(ask(&format!("{}sec-fetch-site: same-origin\r\n", host())), 200);
    // A link on another page may lead here, though nothing else may.
    let followed = format!("{}sec-fetch-site: cross-site\r\n", host());
    assert_eq!(end(begin("GET", "/", &followed, b"")).status, 200);
}

#[test]
fn everything_there_is_comes_from_the_declarations() {
    let all = get("/api/catalogue").json();
    let names = |key: &str| -> Vec<String> {
        all[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(names("models").contains(&"frbd_gkv".to_owned()));
    assert!(names("files").contains(&"scenarios/belt.toml".to_owned()));
    assert!(names("files").contains(&"data/logs/slide.toml".to_owned()));
    assert_eq!(names("experiments").len(), bristle_papers::experiments().count());
    assert_eq!(all["papers"].as_array().unwrap().len(), 5);
}

/// What the page shows is what the library computes.
#[test]
fn a_run_has_the_numbers_of_the_library() {
    let set = json!([["friction.sigma1", "400"], ["run.end", "5"]]);
    let reply = view(
        "run",
        json!({ "page": "a", "file": "scenarios/belt.toml", "set": set, "pixels": 300 }),
    );
    let answer = reply.answer();
    let settings = [("friction.sigma1", 400.0), ("run.end", 5.0)];
    let settings = settings.map(|(key, value)| bristle_scenario::Setting::new(key, value));
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/belt.toml"))
        .unwrap();
    let scenario = bristle_scenario::Scenario::read(&text, &settings).unwrap();
    let run = scenario.simulation().unwrap().run(5.0).unwrap();
    // As exactly as JSON is read here.
    let read = |x: f64| serde_json::from_str::<f64>(&json!(x).to_string()).unwrap();
    for (column, extreme) in run.trace.columns().iter().zip(&run.extremes).skip(1) {
        let told = &answer.header["summary"]["columns"][&column.name];
        assert_eq!(told["max"].as_f64().unwrap(), read(extreme.max), "{}", column.name);
        assert_eq!(told["end"].as_f64().unwrap(), read(*column.values.last().unwrap()));
    }
    // The curve reaches what the table says, though it is thinned.
    let panel = &answer.header["panels"][0];
    assert_eq!(
        (panel["view"].as_str(), panel["y"]["label"].as_str()),
        (Some("history"), Some("x"))
    );
    let x = answer.column(&panel["series"][0]["y"]).unwrap();
    let of_x = &run.trace.column("x").unwrap().values;
    let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(most(x), most(of_x));
    assert!(x.len() <= 4 * 301 && x.len() > 10);
    let views: Vec<&str> = answer.header["panels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["view"].as_str().unwrap())
        .collect();
    assert_eq!(views, ["history", "history", "history", "phase", "law", "energy"]);
}

/// What went in is what was stored and lost, at every instant.
#[test]
fn the_energy_panel_balances() {
    let reply = view("run", json!({ "page": "b", "file": "scenarios/belt.toml" }));
    let answer = reply.answer();
    let panels = answer.header["panels"].as_array().unwrap();
    let energy = panels.iter().find(|p| p["view"] == "energy").unwrap();
    let columns: Vec<&[f64]> = energy["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| answer.column(&s["y"]).unwrap())
        .collect();
    let [slip, lost, stored, work] = columns[..] else { panic!("{}", columns.len()) };
    assert!(work.last().unwrap().abs() > 0.1);
    for k in 0..work.len() {
        let sum = slip[k] + lost[k] + stored[k];
        assert!(
            (sum - work[k]).abs() < 1e-7 * work.last().unwrap().abs(),
            "{k}: {sum} {}",
            work[k]
        );
    }
}

#[test]
fn models_stand_over_each_other() {
    let vary = json!(["friction.model", ["lugre", "frbd", "implicit"]]);
    let answer =
        view("run", json!({ "page": "c", "file": "scenarios/belt.toml", "vary": vary })).answer();
    assert_eq!(answer.header["runs"], json!(["lugre", "frbd", "implicit"]));
    let panel = &answer.header["panels"][0];
    let names: Vec<&Value> =
        panel["series"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["lugre", "frbd", "implicit"]);
}

#[test]
fn sliders_come_from_the_declarations() {
    let ask = json!({ "page": "d", "file": "scenarios/servo.toml" });
    let answer = view("run", ask).answer();
    let settings = answer.header["settings"].as_array().unwrap();
    let of =
        |key: &str| settings.iter().find(|s| s["key"] == key).unwrap_or_else(|| panic!("{key}"));
    assert_eq!(of("body.slide.mass")["value"], 95.1);
    assert_eq!(of("body.slide.mass")["unit"], "kg");
    assert_eq!(of("friction.law.mu_s")["range"]["min"], 0.0);
    assert_eq!(of("control.servo.kp")["slider"]["log"], true);
    assert_eq!(of("control.servo.reference.model")["value"], "multi_sine");
    assert!(of("friction.model")["options"].as_array().unwrap().len() > 15);
    // Every number that is offered can be set to what it is.
    for setting in settings.iter().filter(|s| s["value"].is_number()) {
        let set = json!([[setting["key"], setting["value"].to_string()], ["run.end", "0.01"]]);
        let reply = view("run", json!({ "page": "d", "file": "scenarios/servo.toml", "set": set }));
        assert_eq!(
            reply.status,
            200,
            "{}: {}",
            setting["key"],
            String::from_utf8_lossy(&reply.body)
        );
    }
}

/// The same words as on the command line.
#[test]
fn mistakes_are_told_as_on_the_command_line() {
    let told =
        |set: Value| view("run", json!({ "page": "e", "file": "scenarios/belt.toml", "set": set }));
    let reply = told(json!([["friction.sigma1", "-3"], ["friction.mu", "1"]]));
    assert_eq!(reply.status, 400);
    let message = reply.message();
    assert!(message.starts_with("scenarios/belt.toml cannot be run:\n  --set "), "{message}");
    assert!(message.contains("sigma1 = -3 N*s/m is outside [0, inf)"), "{message}");
    assert!(message.contains("has no parameter `friction.mu`"), "{message}");
    let reply = told(json!([["run.max_steps", "10"]]));
    assert_eq!((reply.status, reply.json()["kind"].as_str()), (422, Some("run")));
    for (ask, said) in [
        (json!({ "file": "scenarios/nothing.toml" }), "there is no file"),
        (json!({ "file": "/etc/passwd" }), "there is no file"),
        (json!({ "file": "../Cargo.toml" }), "there is no file"),
        (
            json!({ "file": "mine.toml", "text": "[system]\nmodel = belt" }),
            "mine.toml cannot be run:\n  TOML parse error at line 2",
        ),
        (json!({ "file": "mine.toml", "text": "" }), "is missing"),
        (json!({ "fil": "x" }), "unknown field `fil`"),
        (json!({ "file": "scenarios/belt.toml", "window": [2, 1] }), "the earlier first"),
        (
            json!({ "file": "scenarios/belt.toml", "vary": ["run.end", ["1", "2", "3", "4", "5", "6", "7", "8", "9"]] }),
            "at most 8",
        ),
    ] {
        let reply = view("run", ask.clone());
        assert_eq!(reply.status, 400, "{ask}");
        assert!(reply.message().contains(said), "{ask}: {}", reply.message());
    }
    assert_eq!(view("nothing", json!({})).status, 400);
    assert_eq!(get("/api/nothing").status, 404);
    assert_eq!(get("/../Cargo.toml").status, 404);
    assert_eq!(end(begin("POST", "/api/view/run", &host(), b"no json")).status, 400);
    assert_eq!(end(begin("POST", "/api/view/run", &host(), &[0xff; 100])).status, 400);
}

/// A scenario reaches the files that were given with it, and no other.
#[test]
fn no_file_is_read() {
    let log =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/servo-log.csv"))
            .unwrap();
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/servo-log.toml"))
            .unwrap();
    let ask = |text: &str, given: Value| {
        view("run", json!({ "page": "f", "file": "mine.toml", "text": text, "given": given }))
    };
    assert_eq!(ask(&text, json!({ "servo-log.csv": log })).status, 200);
    assert!(
        ask(&text, json!({})).message().contains("it was not given with the file that names it")
    );
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/servo-log.csv");
    let reply = ask(&text.replace("servo-log.csv", here), json!({}));
    assert!(reply.message().contains("it was not given"), "{}", reply.message());
}

/// The next request of the same page and view takes the place of the one before; those of others do not.
#[test]
fn an_overtaken_run_is_given_up() {
    let long = json!({ "page": "g", "file": "scenarios/belt.toml", "set": [["run.end", "1000000"], ["run.spacing", "100"]] });
    let began = Instant::now();
    let first = begin("POST", "/api/view/run", &host(), long.to_string().as_bytes());
    let working = || {
        let told = get("/api/progress/run/g").json();
        told["told"]["part"].as_f64().is_some_and(|part| part > 0.0)
    };
    while !working() {
        assert!(began.elapsed() < Duration::from_secs(300), "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    let other = view("run", json!({ "page": "h", "file": "scenarios/belt.toml" }));
    assert_eq!(other.status, 200);
    assert!(working());
    let next = view("run", json!({ "page": "g", "file": "scenarios/belt.toml" }));
    assert_eq!(next.status, 200);
    let first = end(first);
    assert_eq!((first.status, first.json()["kind"].as_str()), (409, Some("overtaken")));
    // Who goes away is not worked for either.
    drop(begin("POST", "/api/view/run", &host(), long.to_string().as_bytes()));
    while get("/api/progress/run/g").json() != Value::Null {
        assert!(began.elapsed() < Duration::from_secs(300), "it never ended");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_is_exported_is_what_the_command_line_writes() {
    let ask = json!({ "page": "i", "file": "scenarios/belt.toml", "set": [["run.end", "1"], ["friction.sigma1", "300"]] });
    let export = |format: &str| post(&format!("/api/export/run/{format}"), &ask);
    let toml = export("toml");
    assert!(toml.head.contains("filename=\"belt.toml\""), "{}", toml.head);
    let text = String::from_utf8(toml.body).unwrap();
    let scenario = bristle_scenario::Scenario::read(&text, &[]).unwrap();
    assert_eq!(scenario.run.end, 1.0);
    let csv = String::from_utf8(export("csv").body).unwrap();
    assert!(csv.lines().next().unwrap().contains("v_rel"), "{csv:.200}");
    let [svg, png] = ["svg", "png"].map(|format| export(format).body);
    assert!(svg.starts_with(b"<svg") || svg.starts_with(b"<?xml"));
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(export("exe").status, 400);
}

#[test]
fn a_request_has_bounds() {
    let long = vec![b' '; (32 << 20) + 1];
    let reply = end(begin("POST", "/api/view/run", &host(), &long));
    assert_eq!(reply.status, 400);
    assert!(reply.message().contains("more than 32 MB"));
    let text = "#".repeat((16 << 20) + 1);
    let reply = view("run", json!({ "file": "long.toml", "text": text }));
    assert!(reply.message().contains("more than 16 MB"), "{}", reply.message());
    let set = json!([["surface.sigma_x_points", "1000"], ["surface.sigma_y_points", "1000"]]);
    let reply = view("patch", json!({ "task": "surface", "set": set }));
    assert!(
        reply.message().contains("1000000 points are more than the lab computes"),
        "{}",
        reply.message()
    );
}

#[test]
fn a_file_is_known_by_what_is_in_it() {
    let kind = |text: &str| {
        post("/api/kind", &json!({ "file": "x.toml", "text": text })).json()["kind"].clone()
    };
    assert_eq!(kind("[system]\nmodel = \"belt\""), "run");
    assert_eq!(kind("[rolling]\nsigma_x = 0.1"), "patch");
    assert_eq!(kind("[[log]]\nfile = \"a.csv\""), "fit");
    assert_eq!(kind("[friction]\nmodel = \"frbd\""), "audit");
    assert_eq!(kind("no toml"), "run");
}

#[test]
fn an_audit_hands_out_the_motion_that_takes_energy() {
    let ask = json!({ "page": "j", "models": ["lugre"] });
    let answer = view("audit", ask).answer();
    assert_eq!(answer.header["summary"]["passivity"]["verdict"], "not passive");
    let drive = answer.header["drive"].as_str().unwrap();
    // Played, it takes out what the audit says.
    let played = view("run", json!({ "page": "j", "file": "drive.toml", "text": drive })).answer();
    let work: f64 = played.header["summary"]["ledger"][0]["work_J"].as_f64().unwrap();
    let told = answer.header["summary"]["passivity"]["work_J"].as_f64().unwrap();
    assert!(work < 0.0 && (work / told - 1.0).abs() < 1e-3, "{work} {told}");
    let passive = view("audit", json!({ "page": "j", "models": ["frbd"] })).answer();
    assert!(passive.header["drive"].is_null());
}

#[test]
fn models_are_compared() {
    let ask =
        json!({ "page": "k", "models": ["dahl", "frbd"], "set": [["friction.law.mu_s", "1.5"]] });
    let answer = view("compare", ask).answer();
    let rows = answer.header["summary"]["models"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["passive"], "yes");
    let reply = view("compare", json!({ "page": "k", "models": ["dahll"] }));
    assert!(reply.message().contains("did you mean `dahl`?"), "{}", reply.message());
}

#[test]
fn every_task_of_a_patch_answers() {
    for task in ["steady", "rule", "curves", "surface", "transient", "film"] {
        let set = json!([
            ["surface.sigma_x_points", "7"],
            ["surface.sigma_y_points", "7"],
            ["rolling.sigma_x", "0.08"]
        ]);
        let answer = view("patch", json!({ "page": "l", "task": task, "set": set })).answer();
        let panels = answer.header["figures"][0]["panels"].as_array().unwrap();
        assert!(!panels.is_empty(), "{task}");
        if task == "film" {
            let film = answer.header["film"].as_array().unwrap();
            let size = |k: usize| {
                let z = &film[k]["figure"]["panels"][0]["surface"]["z"];
                answer.column(z).unwrap().iter().copied().fold(0.0, f64::max)
            };
            // Undeflected at first, and more and more on the way.
            assert_eq!(size(0), 0.0);
            assert!(size(film.len() - 1) > size(1));
        }
    }
    let line =
        view("patch", json!({ "page": "l", "file": "scenarios/line-heterogeneous.toml" })).answer();
    assert!(line.header["text"].as_str().unwrap().contains("points along the line"));
}

#[test]
fn a_log_is_fitted_and_tells_how_far_it_is() {
    let ask = json!({ "page": "m", "file": "data/logs/slide.toml" }).to_string();
    let stream = begin("POST", "/api/view/fit", &host(), ask.as_bytes());
    let mut told = Value::Null;
    let began = Instant::now();
    while told["told"]["evaluations"].is_null() && began.elapsed() < Duration::from_secs(300) {
        told = get("/api/progress/fit/m").json();
    }
    assert!(told["told"]["rms"].as_f64().unwrap() > 0.0);
    let answer = end(stream).answer();
    let estimates = answer.header["outcomes"][0]["estimates"].as_array().unwrap();
    let sigma0 = estimates.iter().find(|e| e["name"] == "sigma0").unwrap();
    let [low, value, high] = [&sigma0["interval"][0], &sigma0["value"], &sigma0["interval"][1]]
        .map(|x| x.as_f64().unwrap());
    assert!(low < value && value < high);
}

#[test]
fn a_figure_of_a_paper_is_run() {
    let answer = view("papers", json!({ "page": "n", "task": "002-fig-8" })).answer();
    assert!(!answer.header["figures"].as_array().unwrap().is_empty());
    let rows = answer.header["summary"]["rows"].as_array().map(Vec::len);
    assert!(rows.is_none_or(|rows| rows > 0));
    assert!(
        view("papers", json!({ "task": "002-fig-80" }))
            .message()
            .contains("there is no 002-fig-80")
    );
}

//! The server: who may ask, how much, and for how long.
use crate::ask::Ask;
use crate::page::{ASSETS, POLICY};
use crate::shipped;
use crate::views::{self, Format};
use crate::work::{Desk, Ticket, Trouble};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A request is no longer than this, bytes: a log of some hundred thousand rows.
const LONGEST: usize = 32 << 20;
/// A request may take so long, s; fits and papers take longer by their nature.
const PATIENCE: Duration = Duration::from_secs(60);
const LONG: Duration = Duration::from_secs(900);
/// So much of a view is computed at once: no other view waits for what takes long.
const AT_ONCE: usize = 3;

struct Lab {
    hosts: [String; 2],
    desk: Desk,
    seats: HashMap<&'static str, Arc<Semaphore>>,
}

type Shared = State<Arc<Lab>>;

/// Serves until the program ends.
pub fn serve(listener: TcpListener, address: SocketAddr) -> io::Result<()> {
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", address.port()));
    let seats = views::names().map(|view| (view, Arc::new(Semaphore::new(AT_ONCE)))).collect();
    let lab = Arc::new(Lab { hosts, desk: Desk::default(), seats });
    let mut router = Router::new();
    for asset in ASSETS {
        router = router.route(asset.path, get(|| async { text(asset.mime, asset.text) }));
    }
    let router = router
        .route("/api/catalogue", get(|| async { text("application/json", &CATALOGUE) }))
        .route("/api/kind", post(kind))
        .route("/api/progress/{view}/{page}", get(progress))
        .route("/api/view/{view}", post(view))
        .route("/api/export/{view}/{format}", post(export))
        .fallback(|| async { refused(StatusCode::NOT_FOUND, "there is nothing here") })
        .layer(from_fn_with_state(lab.clone(), guard))
        .with_state(lab);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        listener.set_nonblocking(true)?;
        axum::serve(tokio::net::TcpListener::from_std(listener)?, router).await
    })
}

/// Everything there is to choose from, made once.
static CATALOGUE: LazyLock<String> = LazyLock::new(|| {
    let papers =
        bristle_kernel::PAPERS.map(|(number, title)| json!({ "paper": number, "title": title }));
    let experiments = bristle_papers::experiments()
        .map(|e| json!({ "name": e.name(), "paper": e.paper, "place": e.place, "title": e.title }));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "models": bristle_report::models::list().summary,
        "files": shipped::all(),
        "papers": papers,
        "experiments": experiments.collect::<Vec<_>>(),
    })
    .to_string()
});

/// Refuses whoever does not come from the page itself: a name that was made to lead here, or another page.
async fn guard(State(lab): Shared, request: Request, next: Next) -> Response<Body> {
    let headers = request.headers();
    let of = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let known = |host: &str| lab.hosts.iter().any(|own| own == host);
    if !of(header::HOST).is_some_and(known) {
        let told =
            "this server answers to the address that `bristle lab` printed, and to no other name";
        return refused(StatusCode::FORBIDDEN, told);
    }
    let own_origin = |origin: &str| origin.strip_prefix("http://").is_some_and(known);
    let same_site = |site: &str| matches!(site, "same-origin" | "none");
    let site = headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or_default());
    let asks = request.method() != Method::GET || request.uri().path() != "/";
    if of(header::ORIGIN).is_some_and(|origin| !own_origin(origin))
        || (asks && site.is_some_and(|site| !same_site(site)))
    {
        return refused(
            StatusCode::FORBIDDEN,
            "this server answers to its own page, and to no other",
        );
    }
    let mut response = next.run(request).await;
    let fixed = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cache-control", "no-store"),
    ];
    let headers: &mut HeaderMap = response.headers_mut();
    headers.extend(
        fixed.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))),
    );
    response
}

fn text(mime: &'static str, text: &'static str) -> Response<Body> {
    reply(StatusCode::OK, mime, text.into())
}

fn reply(status: StatusCode, mime: &str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    if let Ok(mime) = HeaderValue::from_str(mime) {
        response.headers_mut().insert(header::CONTENT_TYPE, mime);
    }
    response
}

fn json(status: StatusCode, value: &Value) -> Response<Body> {
    reply(status, "application/json", value.to_string().into())
}

fn refused(status: StatusCode, message: &str) -> Response<Body> {
    json(status, &json!({ "kind": "input", "message": message }))
}

fn troubled(trouble: &Trouble) -> Response<Body> {
    let status = match trouble {
        Trouble::Input(_) => StatusCode::BAD_REQUEST,
        Trouble::Run(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Trouble::Overtaken => StatusCode::CONFLICT,
    };
    json(status, &trouble.told())
}

/// The body of a request, if it is not too long.
async fn body(request: Request) -> Result<Vec<u8>, Trouble> {
    let body = to_bytes(request.into_body(), LONGEST).await.map_err(|_| {
        let most = LONGEST >> 20;
        Trouble::Input(format!(
            "the request has more than {most} MB: cut the log, or use the command line"
        ))
    })?;
    Ok(body.into())
}

/// What a dropped file is for.
async fn kind(request: Request) -> Response<Body> {
    let ask = match body(request).await.and_then(|body| Ask::read(&body)) {
        Ok(ask) => ask,
        Err(trouble) => return troubled(&trouble),
    };
    match ask.text() {
        Ok(text) => json(StatusCode::OK, &shipped::described(&ask.file, text)),
        Err(trouble) => troubled(&trouble),
    }
}

/// How far the work of a page is.
async fn progress(
    State(lab): Shared,
    Path((view, page)): Path<(String, String)>,
) -> Response<Body> {
    json(StatusCode::OK, &lab.desk.progress(&page, &view).unwrap_or_default())
}

/// Gives its work up when it is dropped: nobody waits for the answer any more.
struct Waiting {
    lab: Arc<Lab>,
    page: String,
    view: String,
    ticket: Arc<Ticket>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.lab.desk.done(&self.page, &self.view, &self.ticket);
    }
}

/// Has something computed on a thread of its own, as long as someone waits for it.
async fn work<T: Send + 'static>(
    lab: Arc<Lab>,
    view: String,
    ask: Ask,
    compute: impl FnOnce(&str, &Ask, &Ticket) -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    let longest = if matches!(&*view, "fit" | "papers") { LONG } else { PATIENCE };
    let ticket = lab.desk.take(&ask.page, &view, longest);
    let seats = lab.seats.get(&*view).cloned();
    // Of a view that is not there the library says so.
    let seats = seats.unwrap_or_else(|| Arc::new(Semaphore::new(1)));
    let waiting = Waiting { lab, page: ask.page.clone(), view: view.clone(), ticket };
    let ticket = waiting.ticket.clone();
    let gone = || Trouble::Run("the server ends".into());
    let seat = seats.acquire_owned().await.map_err(|_| gone())?;
    let done = tokio::task::spawn_blocking(move || {
        // Kept until the work is done, though nobody may wait for it by then.
        let _seat = seat;
        ticket.check()?;
        compute(&view, &ask, &ticket)
    });
    let done = done.await;
    drop(waiting);
    done.unwrap_or_else(|_| {
        let told = "this request made the program stumble, which is a defect; please report it with its link";
        Err(Trouble::Run(told.into()))
    })
}

async fn view(State(lab): Shared, Path(view): Path<String>, request: Request) -> Response<Body> {
    let answered = async {
        let ask = Ask::read(&body(request).await?)?;
        work(lab, view, ask, |view, ask, ticket| {
            views::answer(view, ask, ticket).map(|a| a.bytes())
        })
        .await
    };
    match answered.await {
        Ok(bytes) => reply(StatusCode::OK, "application/octet-stream", bytes.into()),
        Err(trouble) => troubled(&trouble),
    }
}

async fn export(
    State(lab): Shared,
    Path((view, format)): Path<(String, String)>,
    request: Request,
) -> Response<Body> {
    let Some(format) = Format::named(&format) else {
        let told = format!("there is no format {format:?}; there are toml, csv, svg, png");
        return refused(StatusCode::BAD_REQUEST, &told);
    };
    let written = async {
        let ask = Ask::read(&body(request).await?)?;
        // What is exported does not take the place of what is shown.
        let ask = Ask { page: format!("{} export", ask.page), ..ask };
        work(lab, view, ask, move |view, ask, ticket| views::export(view, format, ask, ticket))
            .await
    };
    match written.await {
        Ok(file) => {
            let mut response = reply(StatusCode::OK, file.mime, file.bytes.into());
            let plain: String = file
                .name
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c))
                .collect();
            if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"")) {
                response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
            }
            response
        }
        Err(trouble) => troubled(&trouble),
    }
}
